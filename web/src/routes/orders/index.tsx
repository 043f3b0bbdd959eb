import { createFileRoute } from '@tanstack/react-router';
import { OrderList } from '@/features/orders/OrderList';
import { fulfilmentStatuses, paymentStatuses, statuses } from '@/features/orders/search-params';
import { aCustomer, aDay, aFlag, anId, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/orders/')({
  staticData: {
    page: {
      title: { en: 'Orders', zh: '订单' },
      permission: 'orders:read',
      navigation: {
        group: 'operate',
        order: 9,
        icon: 'bag',
        key: 'o',
        waiting: ({ ordersByStatus }) => ordersByStatus && ordersByStatus.pending + ordersByStatus.paid,
      },
    },
  },
  validateSearch: tableSearch({
    status: oneOf(...statuses),
    paymentStatus: oneOf(...paymentStatuses),
    fulfilmentStatus: oneOf(...fulfilmentStatuses),
    toShip: aFlag,
    userId: aCustomer,
    tag: aText,
    flashSaleId: anId,
    from: aDay,
    to: aDay,
  }),
  component: Page,
});

function Page() {
  return <OrderList search={Route.useSearch()} />;
}
