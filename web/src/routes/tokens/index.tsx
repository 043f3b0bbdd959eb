import { createFileRoute } from '@tanstack/react-router';
import { TokenList } from '@/features/access/tokens/TokenList';
import { anId, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/tokens/')({
  staticData: {
    page: { title: { en: 'API tokens', zh: 'API 令牌' }, permission: 'tokens:read', navigation: { group: 'govern', order: 40, icon: 'plug', key: 'k' } },
  },
  validateSearch: tableSearch({ userId: anId, open: anId }),
  component: Page,
});

function Page() {
  return <TokenList search={Route.useSearch()} />;
}
