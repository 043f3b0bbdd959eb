import { createFileRoute } from '@tanstack/react-router';
import { RolePage } from '@/features/access/roles/RolePage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/roles/$id')({
  staticData: { page: { title: { en: 'Role', zh: '角色' }, permission: 'access:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <RolePage key={id} id={id} />;
}
