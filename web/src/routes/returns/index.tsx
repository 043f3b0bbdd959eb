import { createFileRoute } from '@tanstack/react-router';
import { ReturnList } from '@/features/returns/ReturnList';
import { statuses } from '@/features/returns/statuses';
import { aCustomer, aDay, anId, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/returns/')({
  staticData: {
    page: { title: { en: 'Returns', zh: '退货' }, permission: 'returns:read', navigation: { group: 'operate', order: 13, icon: 'layers', key: 't' } },
  },
  validateSearch: tableSearch({ status: oneOf(...statuses), orderId: anId, userId: aCustomer, from: aDay, to: aDay }),
  component: Page,
});

function Page() {
  return <ReturnList search={Route.useSearch()} />;
}
