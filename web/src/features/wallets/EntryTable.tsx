import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormat, useText } from '@/i18n';
import { Money, Person, When } from '@/ui';
import { DataTable, FilterText, TableSection, useTableState, type Column } from '@/ui/table';
import { decimalOf } from './decimal';
import { walletMessages } from './messages';
import { entries, readEntries, type Entry, type EntrySearch } from './queries';
import styles from './WalletPage.module.css';

/** Everything that ever came into a wallet or went out, newest first. */
export function EntryTable({ userId, search }: { userId: string; search: EntrySearch }) {
  const t = useText(walletMessages);
  const state = useTableState(search);
  const query = useQuery(entries(userId, { ...search, limit: state.limit }));
  return (
    <TableSection id="entries" title={t('entries')}>
      <DataTable
        id="wallet-entries"
        label={t('entries')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ reference }) => reference}
        query={query}
        state={state}
        searchable={false}
        filters={
          <>
            <FilterText label={t('kind')} value={search.kind} onChange={(kind) => state.set({ kind })} />
            <FilterText label={t('reference')} value={search.reference} onChange={(reference) => state.set({ reference })} />
          </>
        }
        readPage={(cursor) => readEntries(userId, { ...search, cursor, limit: 200 })}
        empty={{ title: t('noEntries'), hint: t('noEntriesHint') }}
      />
    </TableSection>
  );
}

function useColumns(): Column<Entry>[] {
  const t = useText(walletMessages);
  const { money } = useFormat();
  return [
    { id: 'time', header: t('time'), cell: (e) => <When time={e.createdTime} />, text: (e) => e.createdTime, sort: 'id', narrow: true },
    {
      id: 'amount',
      header: t('amount'),
      cell: ({ amount }) => <span className={`tabular ${amount > 0 ? (styles.in ?? '') : ''}`}>{amount > 0 ? `+${money(amount)}` : money(amount).replace('-', '−')}</span>,
      text: (e) => decimalOf(e.amount),
      align: 'end',
      narrow: true,
    },
    { id: 'after', header: t('after'), cell: (e) => <Money minor={e.balance} />, text: (e) => decimalOf(e.balance), align: 'end', narrow: true },
    { id: 'kind', header: t('kind'), cell: (e) => e.kind, text: (e) => e.kind },
    { id: 'other', header: t('other'), cell: ({ otherUserId }) => otherUserId !== null && <Link to="/wallets/$userId" params={{ userId: otherUserId }}>{otherUserId}</Link>, text: (e) => e.otherUserId ?? '' },
    { id: 'reference', header: t('reference'), cell: (e) => e.reference, text: (e) => e.reference, mono: true },
    { id: 'by', header: t('by'), cell: (e) => <Person person={e.createdBy} withAvatar />, text: (e) => e.createdBy.name },
  ];
}
