import { createFileRoute } from '@tanstack/react-router';
import { ItemPage } from '@/features/items/ItemPage';
import { aText, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/items/$sku')({
  staticData: { page: { title: { en: 'Item', zh: '商品' }, permission: 'items:read' } },
  validateSearch: tableSearch({ reference: aText }),
  component: Page,
});

function Page() {
  const { sku } = Route.useParams();
  return <ItemPage key={sku} sku={sku} search={Route.useSearch()} />;
}
