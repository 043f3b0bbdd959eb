import { createFileRoute } from '@tanstack/react-router';
import { OrderDetail } from '@/features/orders/OrderDetail';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';

export const Route = createFileRoute('/orders/$id')({
  staticData: { page: { title: { en: 'Order', zh: '订单' }, permission: 'orders:read' } },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return /^[1-9]\d{0,14}$/.test(id) ? <OrderDetail key={id} id={Number(id)} /> : <NotFoundPage />;
}
