import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { EtagVersion, Icon, PageHeader } from '@/ui';
import { DataTable, FilterText, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { CountList } from './CountList';
import { spelled } from './count';
import { ledgerMessages } from './messages';
import { pathOf, readAggregates, type AggregateRow, type AggregateSearch, type Counts } from './queries';
import { RecordDialog } from './RecordDialog';

/** The aggregates with recorded events, last changed first. */
export function AggregateList({ search }: { search: Raw<AggregateSearch> }) {
  const t = useText(ledgerMessages);
  const list = useList<AggregateSearch, AggregateRow>({ search, queryKey: ['aggregates', 'list'], read: readAggregates });
  const navigate = useNavigate();
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
        list={list}
        open={({ type, id }) => void navigate({ to: '/aggregates/$type/$id', params: { type, id } })}
        filters={<FilterText state={list.state} name="type" label={t('filterType')} />}
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
  const column = useColumn<AggregateRow>();
  return [
    column.text('type', t('type'), (a) => a.type, { sort: 'type', mono: true, narrow: true }),
    column.text('id', t('id'), (a) => a.id, {
      cell: ({ type, id }) => (
        <Link to="/aggregates/$type/$id" params={{ type, id }}>
          {id}
        </Link>
      ),
      sort: 'id',
      mono: true,
      narrow: true,
    }),
    column.text('counters', t('counters'), (a) => inOneCell(a.counters), { cell: (a) => <CountList counts={a.counters} />, narrow: true }),
    column.text('version', t('version'), (a) => a.version, {
      cell: (a) => <EtagVersion version={a.version} etag={a.etag} tone="neutral" />,
      sort: 'version',
      align: 'end',
    }),
    column.count('writers', t('writers'), (a) => a.writerCount),
    column.time('updated', t('updated'), (a) => a.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (a) => a.updatedBy),
    column.time('created', t('created'), (a) => a.createdTime, { sort: 'createdTime', optional: true }),
  ];
}
