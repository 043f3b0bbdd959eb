import { createFileRoute } from '@tanstack/react-router';
import { PaymentList } from '@/features/payments/PaymentList';
import { methods, statuses } from '@/features/payments/statuses';
import { aCustomer, aDay, anId, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/payments/')({
  staticData: {
    page: { title: { en: 'Payments', zh: '付款' }, permission: 'payments:read', navigation: { group: 'operate', order: 11, icon: 'wallet', key: 'p' } },
  },
  validateSearch: tableSearch({
    status: oneOf(...statuses),
    orderId: anId,
    userId: aCustomer,
    method: oneOf(...methods),
    provider: aText,
    from: aDay,
    to: aDay,
  }),
  component: Page,
});

function Page() {
  return <PaymentList search={Route.useSearch()} />;
}
