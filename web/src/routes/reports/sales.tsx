import { createFileRoute } from '@tanstack/react-router';
import { groupings } from '@/features/reports/queries';
import { SalesPage } from '@/features/reports/SalesPage';
import { aDay, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/reports/sales')({
  staticData: {
    page: { title: { en: 'Sales report', zh: '销售报表' }, permission: 'orders:read', navigation: { group: 'operate', order: 30, icon: 'chart' } },
  },
  validateSearch: tableSearch({ by: oneOf(...groupings), from: aDay, to: aDay }),
  component: Page,
});

function Page() {
  return <SalesPage search={Route.useSearch()} />;
}
