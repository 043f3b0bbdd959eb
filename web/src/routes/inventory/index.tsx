import { createFileRoute } from '@tanstack/react-router';
import { InventoryList } from '@/features/inventory/InventoryList';
import { aCount, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/inventory/')({
  staticData: {
    page: { title: { en: 'Inventory', zh: '库存' }, permission: 'inventory:read', navigation: { group: 'sell', order: 11, icon: 'boxes', key: 's' } },
  },
  validateSearch: tableSearch({ maxAvailable: aCount }),
  component: Page,
});

function Page() {
  return <InventoryList search={Route.useSearch()} />;
}
