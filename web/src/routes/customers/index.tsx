import { createFileRoute } from '@tanstack/react-router';
import { CustomerList } from '@/features/customers/CustomerList';
import { tableSearch } from '@/ui/table';

export const Route = createFileRoute('/customers/')({
  staticData: { page: { title: { en: 'Customers', zh: '客户' }, permission: 'orders:read', navigation: { group: 'operate', order: 10, icon: 'people' } } },
  validateSearch: tableSearch({}),
  component: Page,
});

function Page() {
  return <CustomerList search={Route.useSearch()} />;
}
