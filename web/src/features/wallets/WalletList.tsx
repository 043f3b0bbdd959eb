import { Button, Group, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { isCustomerId, useMay } from '@/api';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { aCustomer, DataTable, FilterText, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { walletMessages } from './messages';
import { readWallets, type Wallet, type WalletSearch } from './queries';
import { TransferDialog } from './TransferDialog';

/** The wallets with at least one entry. */
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
        empty={{ title: t('empty'), hint: t('emptyHint'), action: <OpenWallet /> }}
      />
      {transferring && <TransferDialog from={null} onClose={close} />}
    </>
  );
}

/** An input that opens the wallet of a customer. Wallets without entries are not in the list. */
function OpenWallet() {
  const t = useText(walletMessages);
  const navigate = useNavigate();
  const [userId, setUserId] = useState('');
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isCustomerId(userId.trim())) void navigate({ to: '/wallets/$userId', params: { userId: userId.trim() } });
  };
  return (
    <form onSubmit={onSubmit}>
      <Group gap="xs" mt="xs">
        <TextInput aria-label={t('user')} placeholder={t('user')} value={userId} onChange={(event) => setUserId(event.currentTarget.value)} />
        <Button type="submit">{t('openWallet')}</Button>
      </Group>
    </form>
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
