import { createFileRoute } from '@tanstack/react-router';
import { Cockpit } from '@/features/flash-sales/Cockpit';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, aText, isUnreadable, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/flash-sales/$id')({
  staticData: { page: { title: { en: 'Flash sale', zh: '限时抢购' }, permission: 'flash-sales:read' } },
  validateSearch: tableSearch({ tab: oneOf('numbers', 'dead', 'history'), range: oneOf('5', '15', '60'), ticket: aText }),
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  const search = Route.useSearch();
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <Cockpit key={id} id={id} search={search} />;
}
