import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isCustomerId, useMay } from '@/api';
import { useText } from '@/i18n';
import { Money, PageHeader, Person, When } from '@/ui';
import { DataTable, FilterText, useTableState, type Column } from '@/ui/table';
import { decimalOf } from './decimal';
import { walletMessages } from './messages';
import { readWallets, walletList, type Wallet, type WalletSearch } from './queries';
import { TransferDialog } from './TransferDialog';

/** Every wallet that money went into. */
export function WalletList({ search }: { search: WalletSearch }) {
  const t = useText(walletMessages);
  const state = useTableState(search);
  const navigate = useNavigate();
  const query = useQuery(walletList({ ...search, limit: state.limit }));
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
        query={query}
        state={state}
        searchable={false}
        open={({ userId }) => void navigate({ to: '/wallets/$userId', params: { userId } })}
        filters={<FilterText label={t('filterUser')} value={search.userId} onChange={(text) => state.set({ userId: userOf(text) })} />}
        readPage={(cursor) => readWallets({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {transferring && <TransferDialog from={null} onClose={close} />}
    </>
  );
}

const userOf = (text: string | undefined) => (text !== undefined && isCustomerId(text) ? text : undefined);

function useColumns(): Column<Wallet>[] {
  const t = useText(walletMessages);
  return [
    { id: 'user', header: t('user'), cell: ({ userId }) => <Link to="/wallets/$userId" params={{ userId }}>{userId}</Link>, text: (w) => w.userId, sort: 'userId', narrow: true },
    { id: 'balance', header: t('balance'), cell: (w) => <Money minor={w.balance} />, text: (w) => decimalOf(w.balance), sort: 'balance', align: 'end', narrow: true },
    { id: 'updated', header: t('updated'), cell: (w) => w.updatedTime !== null && <When time={w.updatedTime} />, text: (w) => w.updatedTime ?? '', sort: 'updatedTime', narrow: true },
    { id: 'updatedBy', header: t('updatedBy'), cell: (w) => w.updatedBy !== null && <Person person={w.updatedBy} withAvatar />, text: (w) => w.updatedBy?.name ?? '' },
  ];
}
