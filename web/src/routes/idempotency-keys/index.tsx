import { createFileRoute } from '@tanstack/react-router';
import { KeyList } from '@/features/idempotency/KeyList';
import { anId, aStatus, aText, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/idempotency-keys/')({
  staticData: {
    page: {
      title: { en: 'Idempotency keys', zh: '幂等键' },
      permission: 'idempotency-keys:read',
      navigation: { group: 'inspect', order: 10, icon: 'key', key: 'j' },
    },
  },
  validateSearch: tableSearch({ key: aText, status: aStatus, open: anId }),
  component: Page,
});

function Page() {
  return <KeyList search={Route.useSearch()} />;
}
