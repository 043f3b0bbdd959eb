import { createFileRoute } from '@tanstack/react-router';
import { Cockpit } from '@/features/flash-sales/Cockpit';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/flash-sales/$id')({
  staticData: { page: { title: { en: 'Flash sale', zh: '限时抢购' }, permission: 'flash-sales:read' } },
  validateSearch: tableSearch({ tab: oneOf('numbers', 'dead', 'history') }),
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  const search = Route.useSearch();
  return /^[1-9]\d{0,14}$/.test(id) ? <Cockpit key={id} id={Number(id)} search={search} /> : <NotFoundPage />;
}
