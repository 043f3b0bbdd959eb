import { createFileRoute } from '@tanstack/react-router';
import { OrderDetail } from '@/features/orders/OrderDetail';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/orders/$id')({
  staticData: { page: { title: { en: 'Order', zh: '订单' }, permission: 'orders:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <OrderDetail key={id} id={id} />;
}
