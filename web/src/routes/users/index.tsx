import { createFileRoute } from '@tanstack/react-router';
import { UserList } from '@/features/access/users/UserList';
import { aBoolean, aText, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/users/')({
  staticData: {
    page: { title: { en: 'Users', zh: '用户' }, permission: 'users:read', navigation: { group: 'govern', order: 20, icon: 'people', key: 'u' } },
  },
  validateSearch: tableSearch({ role: aText, disabled: aBoolean }),
  component: Page,
});

function Page() {
  return <UserList search={Route.useSearch()} />;
}
