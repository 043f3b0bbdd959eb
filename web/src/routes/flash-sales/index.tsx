import { createFileRoute } from '@tanstack/react-router';
import { SaleList } from '@/features/flash-sales/SaleList';
import { aFlag, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/flash-sales/')({
  staticData: {
    page: { title: { en: 'Flash sales', zh: '限时抢购' }, permission: 'flash-sales:read', navigation: { group: 'sell', order: 35, icon: 'bolt', key: 'f' } },
  },
  validateSearch: tableSearch({ status: oneOf('draft', 'open', 'paused', 'closed'), sku: aText, create: aFlag }),
  component: Page,
});

function Page() {
  return <SaleList search={Route.useSearch()} />;
}
