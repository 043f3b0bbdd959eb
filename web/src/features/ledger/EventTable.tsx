import { useQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { encode } from '@/merge';
import { Person, StatusChip, When } from '@/ui';
import { DataTable, FilterText, TableSection, useTableState, type Column } from '@/ui/table';
import { spelled, useCounts } from './count';
import { CountList } from './CountList';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import { eventList, newestFirst, readEvents, type AggregateName, type EventSearch, type LedgerEvent } from './queries';

interface Props {
  name: AggregateName;
  search: EventSearch;
  /** Opens the event of a version. */
  open: (version: number) => void;
}

/** Every event of an aggregate, newest first unless the address says otherwise. */
export function EventTable({ name, search, open }: Props) {
  const t = useText(ledgerMessages);
  const state = useTableState({ ...search, sort: search.sort ?? newestFirst });
  const query = useQuery(eventList(name, { ...search, limit: state.limit }));
  return (
    <TableSection id="events" title={t('events')} hint={t('eventsHint')}>
      <DataTable
        id="ledger-events"
        label={t('events')}
        columns={useColumns()}
        rowId={({ version }) => String(version)}
        rowLabel={({ version }) => String(version)}
        query={query}
        state={state}
        searchable={false}
        open={({ version }) => open(version)}
        filters={<FilterText label={t('filterAfter')} value={search.after?.toString()} onChange={(text) => state.set({ after: versionOf(text) })} />}
        readPage={(cursor) => readEvents(name, { ...search, cursor, limit: 200 })}
        empty={{ title: t('noEvents') }}
      />
    </TableSection>
  );
}

const versionOf = (text: string | undefined) => (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

function useColumns(): Column<LedgerEvent>[] {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  return [
    { id: 'version', header: t('version'), cell: (e) => number(e.version), text: (e) => String(e.version), sort: 'version', align: 'end', narrow: true },
    { id: 'eventType', header: t('eventType'), cell: (e) => <StatusChip>{e.eventType}</StatusChip>, text: (e) => e.eventType, narrow: true },
    { id: 'deltas', header: t('deltas'), cell: (e) => <CountList counts={e.deltas} added />, text: (e) => encode({ ...e.deltas }), narrow: true },
    { id: 'time', header: t('time'), cell: (e) => <When time={e.eventTime} />, text: (e) => e.eventTime },
    { id: 'writer', header: t('writer'), cell: (e) => <Short text={e.clientId} />, text: (e) => e.clientId, mono: true },
    {
      id: 'sequence',
      header: t('sequence'),
      cell: (e) => e.clientSeq !== null && number(e.clientSeq),
      text: (e) => (e.clientSeq === null ? '' : spelled(e.clientSeq)),
      align: 'end',
    },
    { id: 'eventId', header: t('eventId'), cell: (e) => <Short text={e.eventId ?? ''} />, text: (e) => e.eventId ?? '', mono: true },
    {
      id: 'payload',
      header: t('payload'),
      cell: (e) => e.payload !== null && <Short text={encode(e.payload)} mono />,
      text: (e) => (e.payload === null ? '' : encode(e.payload)),
    },
    { id: 'by', header: t('by'), cell: (e) => <Person person={e.createdBy} withAvatar />, text: (e) => e.createdBy.name, optional: true },
    { id: 'written', header: t('written'), cell: (e) => <When time={e.createdTime} />, text: (e) => e.createdTime, optional: true },
  ];
}

/** On one line; what does not fit is in the title, and in the event. */
function Short({ text, mono = false }: { text: string; mono?: boolean }) {
  return (
    <span className={mono ? `${styles.short ?? ''} mono` : styles.short} title={text}>
      {text}
    </span>
  );
}
