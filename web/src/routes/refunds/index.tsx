import { createFileRoute } from '@tanstack/react-router';
import { RefundList } from '@/features/refunds/RefundList';
import { statuses } from '@/features/refunds/statuses';
import { aCustomer, aDay, anId, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/refunds/')({
  staticData: {
    page: {
      title: { en: 'Refunds', zh: '退款' },
      permission: 'refunds:read',
      // Refunds that need a decision, or whose outcome is unknown.
      navigation: {
        group: 'operate',
        order: 12,
        icon: 'refund',
        key: 'r',
        waiting: ({ refundsByStatus }) => refundsByStatus && refundsByStatus.requested + refundsByStatus.unknown,
      },
    },
  },
  validateSearch: tableSearch({ status: oneOf(...statuses), orderId: anId, userId: aCustomer, from: aDay, to: aDay }),
  component: Page,
});

function Page() {
  return <RefundList search={Route.useSearch()} />;
}
