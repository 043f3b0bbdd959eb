import { createFileRoute } from '@tanstack/react-router';
import { RefundPage } from '@/features/refunds/RefundPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/refunds/$id')({
  staticData: { page: { title: { en: 'Refund', zh: '退款' }, permission: 'refunds:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <RefundPage key={id} id={id} />;
}
