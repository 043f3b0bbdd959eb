import { createFileRoute } from '@tanstack/react-router';
import { ItemPage } from '@/features/items/ItemPage';

export const Route = createFileRoute('/items/$sku')({
  staticData: { page: { title: { en: 'Item', zh: '商品' }, permission: 'items:read' } },
  component: Page,
});

function Page() {
  const { sku } = Route.useParams();
  return <ItemPage key={sku} sku={sku} />;
}
