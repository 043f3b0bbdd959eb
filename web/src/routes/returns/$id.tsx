import { createFileRoute } from '@tanstack/react-router';
import { ReturnPage } from '@/features/returns/ReturnPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/returns/$id')({
  staticData: { page: { title: { en: 'Return', zh: '退货' }, permission: 'returns:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <ReturnPage key={id} id={id} />;
}
