import { useText } from '@/i18n';
import { encode } from '@/merge';
import { StatusChip } from '@/ui';
import { aCount, DataTable, FilterText, TableSection, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { spelled, useCounts } from './count';
import { CountList } from './CountList';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import { newestFirst, pathOf, readEvents, type AggregateName, type EventSearch, type LedgerEvent } from './queries';

interface Props {
  name: AggregateName;
  search: Raw<EventSearch>;
  /** Opens the event of a version. */
  open: (version: number) => void;
}

/** Every event of an aggregate, newest first by default. */
export function EventTable({ name, search, open }: Props) {
  const t = useText(ledgerMessages);
  const list = useList<EventSearch, LedgerEvent>({
    search,
    queryKey: ['aggregates', 'one', pathOf(name), 'events'],
    read: (asked, signal) => readEvents(name, asked, signal),
    sort: newestFirst,
  });
  return (
    <TableSection id="events" title={t('events')} hint={t('eventsHint')}>
      <DataTable
        id="ledger-events"
        label={t('events')}
        columns={useColumns()}
        rowId={({ version }) => String(version)}
        rowLabel={({ version }) => String(version)}
        list={list}
        searchable={false}
        open={({ version }) => open(version)}
        filters={<FilterText state={list.state} name="after" read={aCount} label={t('filterAfter')} />}
        empty={{ title: t('noEvents') }}
      />
    </TableSection>
  );
}

function useColumns(): Column<LedgerEvent>[] {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  const column = useColumn<LedgerEvent>();
  const payload = (e: LedgerEvent) => (e.payload === null ? '' : encode(e.payload));
  return [
    column.text('version', t('version'), (e) => e.version, { cell: (e) => number(e.version), sort: 'version', align: 'end', narrow: true }),
    column.text('eventType', t('eventType'), (e) => e.eventType, { cell: (e) => <StatusChip>{e.eventType}</StatusChip>, narrow: true }),
    column.text('deltas', t('deltas'), (e) => encode({ ...e.deltas }), { cell: (e) => <CountList counts={e.deltas} added />, narrow: true }),
    column.time('time', t('time'), (e) => e.eventTime),
    column.text('writer', t('writer'), (e) => e.clientId, { cell: (e) => <Short text={e.clientId} />, mono: true }),
    column.text('sequence', t('sequence'), (e) => (e.clientSeq === null ? null : spelled(e.clientSeq)), {
      cell: (e) => e.clientSeq !== null && number(e.clientSeq),
      align: 'end',
    }),
    column.text('eventId', t('eventId'), (e) => e.eventId, { cell: (e) => <Short text={e.eventId ?? ''} />, mono: true }),
    column.text('payload', t('payload'), payload, { cell: (e) => e.payload !== null && <Short text={payload(e)} mono /> }),
    column.person('by', t('by'), (e) => e.createdBy, { optional: true }),
    column.time('written', t('written'), (e) => e.createdTime, { optional: true }),
  ];
}

/** One line; the title and the event page have the complete text. */
function Short({ text, mono = false }: { text: string; mono?: boolean }) {
  return (
    <span className={mono ? `${styles.short ?? ''} mono` : styles.short} title={text}>
      {text}
    </span>
  );
}
