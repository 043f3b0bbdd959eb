import { createFileRoute } from '@tanstack/react-router';
import { AggregateList } from '@/features/ledger/AggregateList';
import { aText, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/aggregates/')({
  staticData: {
    page: { title: { en: 'Aggregates', zh: '聚合' }, permission: 'ledger:read', navigation: { group: 'inspect', order: 20, icon: 'layers', key: 'g' } },
  },
  validateSearch: tableSearch({ type: aText }),
  component: Page,
});

function Page() {
  return <AggregateList search={Route.useSearch()} />;
}
