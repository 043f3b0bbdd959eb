import { createFileRoute } from '@tanstack/react-router';
import { RoleList } from '@/features/access/roles/RoleList';
import { tableSearch } from '@/ui/table';

export const Route = createFileRoute('/roles/')({
  staticData: {
    page: { title: { en: 'Roles', zh: '角色' }, permission: 'access:read', navigation: { group: 'govern', order: 30, icon: 'shield', key: 'e' } },
  },
  validateSearch: tableSearch({}),
  component: Page,
});

function Page() {
  return <RoleList search={Route.useSearch()} />;
}
