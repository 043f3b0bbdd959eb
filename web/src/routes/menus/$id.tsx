import { createFileRoute } from '@tanstack/react-router';
import { MenuPage } from '@/features/access/menus/MenuPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/menus/$id')({
  staticData: { page: { title: { en: 'Menu', zh: '菜单' }, permission: 'menus:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <MenuPage key={id} id={id} />;
}
