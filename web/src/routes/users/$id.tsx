import { createFileRoute } from '@tanstack/react-router';
import { UserPage } from '@/features/access/users/UserPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/users/$id')({
  staticData: { page: { title: { en: 'User', zh: '用户' }, permission: 'users:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <UserPage key={id} id={id} />;
}
