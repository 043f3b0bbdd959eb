import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useText } from '@/i18n';
import { encode, exact } from '@/merge';
import { PageHeader, RecordLink } from '@/ui';
import { aDay, DataTable, FilterDay, FilterText, readable, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { auditMessages } from './messages';
import { readAuditLog, type AuditEntry, type AuditSearch } from './queries';
import { useActionText } from './useActionText';

// The drawer imports the labels of every domain.
const AuditDrawer = lazy(async () => ({ default: (await import('./AuditDrawer')).AuditDrawer }));

/** The audit log: who changed which record, when and why. */
export function AuditLog({ search }: { search: Raw<AuditSearch> }) {
  const t = useText(auditMessages);
  const list = useList<AuditSearch, AuditEntry>({ search, queryKey: ['audit-log', 'list'], read: readAuditLog });
  const { state } = list;
  const navigate = useNavigate();
  const { open } = readable<AuditSearch>(search);
  // The list stays on its page behind the drawer.
  const show = (id: number | undefined) => void navigate({ to: '.', search: { ...search, open: id } as never, state: true, resetScroll: false });
  const rows = list.query.data?.items;
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        id="audit-log"
        label={t('title')}
        columns={useColumns()}
        rowId={(entry) => String(entry.id)}
        rowLabel={(entry) => `${entry.action} ${entry.resource}`}
        list={list}
        searchable={false}
        open={({ id }) => show(id)}
        filters={
          <>
            <FilterText state={state} name="resource" label={t('filterResource')} />
            <FilterText state={state} name="actor" label={t('filterActor')} />
            <FilterText state={state} name="action" label={t('filterAction')} />
            <FilterDay state={state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} />
            <FilterDay state={state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} />
          </>
        }
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {open !== undefined && rows !== undefined && (
        <Suspense>
          <AuditDrawer entry={rows.find(({ id }) => id === open)} onClose={() => show(undefined)} />
        </Suspense>
      )}
    </>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const t = useText(auditMessages);
  const { whole } = useActionText();
  const column = useColumn<AuditEntry>();
  return [
    column.time('time', t('time'), (e) => e.createdTime, { narrow: true }),
    column.person('who', t('who'), (e) => e.actor, { narrow: true }),
    column.text('action', t('action'), (e) => e.action, { cell: (e) => <span title={e.action}>{whole(e.action)}</span>, narrow: true }),
    column.text('resource', t('resource'), (e) => e.resource, { cell: (e) => <RecordLink path={e.resource} />, mono: true, narrow: true }),
    column.text('note', t('note'), (e) => e.note),
    column.exact('exact', t('time'), (e) => e.createdTime, { optional: true }),
    column.text('detail', t('details'), (e) => encode(exact(e.detail)), { mono: true, optional: true }),
    column.text('key', t('key'), (e) => e.idempotencyKey, { mono: true, optional: true }),
    column.text('request', t('request'), (e) => e.requestId, { mono: true, optional: true }),
    column.text('unit', t('unit'), (e) => e.unitId, { mono: true, optional: true }),
  ];
}
