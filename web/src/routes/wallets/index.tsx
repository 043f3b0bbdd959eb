import { createFileRoute } from '@tanstack/react-router';
import { WalletList } from '@/features/wallets/WalletList';
import { aCustomer, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/wallets/')({
  staticData: {
    page: { title: { en: 'Wallets', zh: '钱包' }, permission: 'wallets:read', navigation: { group: 'sell', order: 40, icon: 'wallet', key: 'b' } },
  },
  validateSearch: tableSearch({ userId: aCustomer }),
  component: Page,
});

function Page() {
  return <WalletList search={Route.useSearch()} />;
}
