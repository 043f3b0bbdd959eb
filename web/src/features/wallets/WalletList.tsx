import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { aCustomer, DataTable, FilterText, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { walletMessages } from './messages';
import { readWallets, type Wallet, type WalletSearch } from './queries';
import { TransferDialog } from './TransferDialog';

/** Every wallet that money went into. */
export function WalletList({ search }: { search: Raw<WalletSearch> }) {
  const t = useText(walletMessages);
  const list = useList<WalletSearch, Wallet>({ search, queryKey: ['wallets', 'list'], read: readWallets });
  const navigate = useNavigate();
  const mayWrite = useMay()('wallets:write');
  const [transferring, { open, close }] = useDisclosure();
  return (
    <>
      <PageHeader title={t('title')}>{mayWrite && <Button onClick={open}>{t('transfer')}</Button>}</PageHeader>
      <DataTable
        id="wallets"
        label={t('title')}
        columns={useColumns()}
        rowId={({ userId }) => userId}
        rowLabel={({ userId }) => userId}
        list={list}
        searchable={false}
        open={({ userId }) => void navigate({ to: '/wallets/$userId', params: { userId } })}
        filters={<FilterText state={list.state} name="userId" read={aCustomer} label={t('filterUser')} />}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {transferring && <TransferDialog from={null} onClose={close} />}
    </>
  );
}

function useColumns(): Column<Wallet>[] {
  const t = useText(walletMessages);
  const column = useColumn<Wallet>();
  return [
    column.text('user', t('user'), (w) => w.userId, {
      cell: ({ userId }) => (
        <Link to="/wallets/$userId" params={{ userId }}>
          {userId}
        </Link>
      ),
      sort: 'userId',
      narrow: true,
    }),
    column.money('balance', t('balance'), (w) => w.balance, { sort: 'balance', narrow: true }),
    column.time('updated', t('updated'), (w) => w.updatedTime, { sort: 'updatedTime', narrow: true }),
    column.person('updatedBy', t('updatedBy'), (w) => w.updatedBy),
  ];
}
