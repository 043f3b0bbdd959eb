import { createFileRoute } from '@tanstack/react-router';
import { AggregatePage } from '@/features/ledger/AggregatePage';
import { aCount, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/aggregates/$type/$id')({
  staticData: { page: { title: { en: 'Aggregate', zh: '聚合' }, permission: 'ledger:read' } },
  validateSearch: tableSearch({ after: aCount, event: aCount }),
  component: Page,
});

function Page() {
  const { type, id } = Route.useParams();
  return <AggregatePage key={`${type}/${id}`} name={{ type, id }} search={Route.useSearch()} />;
}
