import { createFileRoute } from '@tanstack/react-router';
import { PaymentPage } from '@/features/payments/PaymentPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/payments/$id')({
  staticData: { page: { title: { en: 'Payment', zh: '付款' }, permission: 'payments:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <PaymentPage key={id} id={id} />;
}
