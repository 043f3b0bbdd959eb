import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { EtagVersion, Icon, PageHeader, Person, When } from '@/ui';
import { DataTable, FilterText, useTableState, type Column } from '@/ui/table';
import { CountList } from './CountList';
import { spelled } from './count';
import { ledgerMessages } from './messages';
import { aggregateList, pathOf, readAggregates, type AggregateRow, type AggregateSearch, type Counts } from './queries';
import { RecordDialog } from './RecordDialog';

/** Everything that events were recorded for, what changed last first. */
export function AggregateList({ search }: { search: AggregateSearch }) {
  const t = useText(ledgerMessages);
  const state = useTableState(search);
  const navigate = useNavigate();
  const query = useQuery(aggregateList({ ...search, limit: state.limit }));
  const mayWrite = useMay()('ledger:write');
  const [recording, { open, close }] = useDisclosure();
  const record = mayWrite && (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={open}>
      {t('record')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')}>{record}</PageHeader>
      <DataTable
        id="aggregates"
        label={t('title')}
        columns={useColumns()}
        rowId={pathOf}
        rowLabel={pathOf}
        query={query}
        state={state}
        open={({ type, id }) => void navigate({ to: '/aggregates/$type/$id', params: { type, id } })}
        filters={<FilterText label={t('filterType')} value={search.type} onChange={(type) => state.set({ type })} />}
        readPage={(cursor) => readAggregates({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: record }}
      />
      {recording && <RecordDialog onClose={close} onRecorded={(name) => void navigate({ to: '/aggregates/$type/$id', params: { ...name } })} />}
    </>
  );
}

const inOneCell = (counts: Counts) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${spelled(count)}`)
    .join(' ');

function useColumns(): Column<AggregateRow>[] {
  const t = useText(ledgerMessages);
  const { number } = useFormat();
  return [
    { id: 'type', header: t('type'), cell: (a) => a.type, text: (a) => a.type, sort: 'type', mono: true, narrow: true },
    {
      id: 'id',
      header: t('id'),
      cell: ({ type, id }) => (
        <Link to="/aggregates/$type/$id" params={{ type, id }}>
          {id}
        </Link>
      ),
      text: (a) => a.id,
      sort: 'id',
      mono: true,
      narrow: true,
    },
    { id: 'counters', header: t('counters'), cell: (a) => <CountList counts={a.counters} />, text: (a) => inOneCell(a.counters), narrow: true },
    {
      id: 'version',
      header: t('version'),
      cell: (a) => <EtagVersion version={a.version} etag={a.etag} tone="neutral" />,
      text: (a) => String(a.version),
      sort: 'version',
      align: 'end',
    },
    { id: 'writers', header: t('writers'), cell: (a) => number(a.writerCount), text: (a) => String(a.writerCount), align: 'end' },
    { id: 'updated', header: t('updated'), cell: (a) => <When time={a.updatedTime} />, text: (a) => a.updatedTime, sort: 'updatedTime' },
    { id: 'updatedBy', header: t('updatedBy'), cell: (a) => <Person person={a.updatedBy} withAvatar />, text: (a) => a.updatedBy.name },
    { id: 'created', header: t('created'), cell: (a) => <When time={a.createdTime} />, text: (a) => a.createdTime, sort: 'createdTime', optional: true },
  ];
}
