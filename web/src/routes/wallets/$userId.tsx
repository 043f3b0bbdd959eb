import { createFileRoute } from '@tanstack/react-router';
import { WalletPage } from '@/features/wallets/WalletPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, aText, isUnreadable, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/wallets/$userId')({
  staticData: { page: { title: { en: 'Wallet', zh: '钱包' }, permission: 'wallets:read' } },
  validateSearch: tableSearch({ kind: aText, reference: aText }),
  component: Page,
});

function Page() {
  const userId = anId(Route.useParams().userId);
  const search = Route.useSearch();
  if (userId === undefined || isUnreadable(userId)) return <NotFoundPage />;
  return <WalletPage key={userId} userId={userId} search={search} />;
}
