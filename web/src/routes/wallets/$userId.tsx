import { createFileRoute } from '@tanstack/react-router';
import { isCustomerId } from '@/api';
import { WalletPage } from '@/features/wallets/WalletPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { aText, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/wallets/$userId')({
  staticData: { page: { title: { en: 'Wallet', zh: '钱包' }, permission: 'wallets:read' } },
  validateSearch: tableSearch({ kind: aText, reference: aText }),
  component: Page,
});

function Page() {
  const { userId } = Route.useParams();
  const search = Route.useSearch();
  return isCustomerId(userId) ? <WalletPage key={userId} userId={userId} search={search} /> : <NotFoundPage />;
}
