import { createFileRoute } from '@tanstack/react-router';
import { isCustomerId } from '@/api';
import { CustomerPage } from '@/features/customers/CustomerPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';

export const Route = createFileRoute('/customers/$userId')({
  staticData: { page: { title: { en: 'Customer', zh: '客户' } } },
  component: Page,
});

function Page() {
  const { userId } = Route.useParams();
  return isCustomerId(userId) ? <CustomerPage key={userId} userId={userId} /> : <NotFoundPage />;
}
