import { createFileRoute } from '@tanstack/react-router';
import { DeletedList } from '@/features/deleted/DeletedList';
import { kinds } from '@/features/deleted/kinds';
import { aDay, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/deleted/')({
  staticData: { page: { title: { en: 'Deleted records', zh: '已删除的记录' }, permission: 'audit:read', inSearch: true } },
  validateSearch: tableSearch({
    kind: oneOf(...kinds),
    resource: aText,
    actor: aText,
    from: aDay,
    to: aDay,
    open: aText,
  }),
  component: Page,
});

function Page() {
  return <DeletedList search={Route.useSearch()} />;
}
