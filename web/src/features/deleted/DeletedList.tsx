import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { deletable } from '@/features/resources';
import { useLocalText, useText } from '@/i18n';
import { PageHeader, StatusChip } from '@/ui';
import { aDay, DataTable, FilterChoice, FilterDay, FilterText, readable, useColumn, useList, filterTextOf, type Column, type Raw } from '@/ui/table';
import { kinds } from './kinds';
import { deletedMessages } from './messages';
import { readDeleted, rowId, type Deleted, type DeletedSearch } from './queries';
import { auditMessages } from '@/features/audit/messages';

// The drawer imports the labels of every domain.
const DeletedDrawer = lazy(async () => ({ default: (await import('./DeletedDrawer')).DeletedDrawer }));

/** The deleted records, with the user and the time of the deletion, and a way to restore them. */
export function DeletedList({ search }: { search: Raw<DeletedSearch> }) {
  const t = useText(deletedMessages);
  const audit = useText(auditMessages);
  const text = useLocalText();
  const navigate = useNavigate();
  // The key starts with every topic that has deletable records.
  const list = useList<DeletedSearch, Deleted>({ search, queryKey: listKey, read: readDeleted });
  const { open } = readable<DeletedSearch>(search);
  const show = (id: string | undefined) => void navigate({ to: '.', search: { ...search, open: id } as never, state: true, resetScroll: false });
  const rows = list.query.data?.items;
  const options = kinds.map((kind) => ({ value: kind, label: text(deletable[kind].label) }));
  return (
    <>
      <PageHeader title={t('title')} />
      <Text c="dimmed" mb="md">
        {t('hint')}
      </Text>
      <DataTable
        id="deleted"
        label={t('title')}
        columns={useColumns((row) => show(rowId(row)))}
        rowId={rowId}
        rowLabel={({ name }) => name}
        list={list}
        searchable={false}
        open={(row) => show(rowId(row))}
        filters={
          <>
            <FilterChoice state={list.state} name="kind" label={t('kind')} any={t('anyKind')} options={options} />
            <FilterText state={list.state} name="actor" label={t('filterWho')} />
            <FilterDay state={list.state} name="from" read={aDay} label={audit('filterFrom')} mark={audit('from')} />
            <FilterDay state={list.state} name="to" read={aDay} label={audit('filterTo')} mark={audit('to')} />
          </>
        }
        filterText={filterTextOf({ kind: options })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {open !== undefined && rows !== undefined && (
        <Suspense>
          <DeletedDrawer deed={rows.find((row) => rowId(row) === open)} onClose={() => show(undefined)} />
        </Suspense>
      )}
    </>
  );
}

const listKey = ['overview', 'deleted'];

function useColumns(open: (row: Deleted) => void): Column<Deleted>[] {
  const t = useText(deletedMessages);
  const text = useLocalText();
  const column = useColumn<Deleted>();
  return [
    column.text('name', t('name'), ({ name }) => name, { mono: true, narrow: true }),
    column.text('kind', t('kind'), ({ kind }) => kind, { cell: ({ kind }) => text(deletable[kind].label), narrow: true }),
    column.time('when', t('when'), ({ entry }) => entry.createdTime, { narrow: true }),
    column.person('who', t('who'), ({ entry }) => entry.actor),
    column.text('note', t('note'), ({ entry }) => entry.note, { optional: true }),
    column.text('state', t('state'), ({ again }) => (again === undefined ? 'deleted' : 'restored'), {
      narrow: true,
      cell: (row) =>
        row.again === undefined ? (
          <Button size="compact-sm" onClick={() => open(row)}>
            {t('restore')}
          </Button>
        ) : (
          <StatusChip tone="ok">{t('again')}</StatusChip>
        ),
    }),
  ];
}
