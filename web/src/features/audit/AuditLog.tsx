import { useQuery } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { PageHeader, Person, RecordLink, When } from '@/ui';
import { DataTable, FilterText, useTableState, type Column } from '@/ui/table';
import { auditMessages } from './messages';
import { auditLog, readAuditLog, type AuditEntry, type AuditSearch } from './queries';

/** Who changed what, when and why. */
export function AuditLog({ search }: { search: AuditSearch }) {
  const t = useText(auditMessages);
  const state = useTableState(search);
  const query = useQuery(auditLog({ ...search, limit: state.limit }));
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        id="audit-log"
        label={t('title')}
        columns={useColumns()}
        rowId={(entry) => String(entry.id)}
        rowLabel={(entry) => `${entry.action} ${entry.resource}`}
        query={query}
        state={state}
        searchable={false}
        filters={
          <>
            <FilterText label={t('filterResource')} value={search.resource} onChange={(resource) => state.set({ resource })} />
            <FilterText label={t('filterActor')} value={search.actor} onChange={(actor) => state.set({ actor })} />
          </>
        }
        readPage={(cursor) => readAuditLog({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const t = useText(auditMessages);
  const { dateTime } = useFormat();
  return [
    { id: 'time', header: t('time'), cell: (e) => <When time={e.createdTime} />, text: (e) => e.createdTime, narrow: true },
    { id: 'who', header: t('who'), cell: (e) => <Person person={e.actor} withAvatar />, text: (e) => e.actor.name, narrow: true },
    { id: 'action', header: t('action'), cell: (e) => e.action, text: (e) => e.action, mono: true },
    { id: 'resource', header: t('resource'), cell: (e) => <RecordLink path={e.resource} />, text: (e) => e.resource, mono: true, narrow: true },
    { id: 'note', header: t('note'), cell: (e) => e.note, text: (e) => e.note },
    { id: 'exact', header: `${t('time')} (UTC)`, cell: (e) => dateTime(e.createdTime), optional: true },
    { id: 'request', header: t('request'), cell: (e) => e.requestId, text: (e) => e.requestId, mono: true, optional: true },
    { id: 'unit', header: t('unit'), cell: (e) => e.unitId, text: (e) => e.unitId, mono: true, optional: true },
  ];
}
