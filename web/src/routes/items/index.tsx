import { createFileRoute } from '@tanstack/react-router';
import { ItemList } from '@/features/items/ItemList';
import { aFlag, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/items/')({
  staticData: {
    page: { title: { en: 'Items', zh: '商品' }, permission: 'items:read', navigation: { group: 'sell', order: 10, icon: 'tag', key: 'i' } },
  },
  validateSearch: tableSearch({ status: oneOf('active', 'archived'), create: aFlag }),
  component: Page,
});

function Page() {
  return <ItemList search={Route.useSearch()} />;
}
