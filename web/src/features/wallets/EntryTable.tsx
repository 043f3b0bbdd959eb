import { useFormat, useText } from '@/i18n';
import { DataTable, FilterText, TableSection, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { walletMessages } from './messages';
import { readEntries, type Entry, type EntrySearch } from './queries';
import styles from './WalletPage.module.css';

/** Every entry of a wallet, newest first. */
export function EntryTable({ userId, search }: { userId: string; search: Raw<EntrySearch> }) {
  const t = useText(walletMessages);
  const list = useList<EntrySearch, Entry>({
    search,
    queryKey: ['wallets', 'one', userId, 'entries'],
    read: (asked, signal) => readEntries(userId, asked, signal),
  });
  return (
    <TableSection id="entries" title={t('entries')}>
      <DataTable
        id="wallet-entries"
        label={t('entries')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ reference }) => reference}
        list={list}
        searchable={false}
        filters={
          <>
            <FilterText state={list.state} name="kind" label={t('kind')} />
            <FilterText state={list.state} name="reference" label={t('reference')} />
          </>
        }
        empty={{ title: t('noEntries'), hint: t('noEntriesHint') }}
      />
    </TableSection>
  );
}

function useColumns(): Column<Entry>[] {
  const t = useText(walletMessages);
  const { money, signed } = useFormat();
  const column = useColumn<Entry>();
  return [
    column.time('time', t('time'), (e) => e.createdTime, { sort: 'id', narrow: true }),
    column.money('amount', t('amount'), (e) => e.amount, {
      cell: ({ amount }) => <span className={`tabular ${amount > 0 ? (styles.in ?? '') : ''}`}>{signed(amount, money)}</span>,
      narrow: true,
    }),
    column.money('after', t('after'), (e) => e.balance, { narrow: true }),
    column.text('kind', t('kind'), (e) => e.kind),
    column.customer('other', t('other'), (e) => e.otherUserId),
    column.text('reference', t('reference'), (e) => e.reference, { mono: true }),
    column.person('by', t('by'), (e) => e.createdBy),
  ];
}
