import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useFormat, useText } from '@/i18n';
import { PageHeader, Person, When } from '@/ui';
import { DataTable, FilterText, useTableState, type Column } from '@/ui/table';
import { KeyDrawer } from './KeyDrawer';
import { idempotencyMessages } from './messages';
import { keyList, readKeys, type IdempotencyKey, type KeySearch } from './queries';
import { ReplyChip } from './ReplyChip';

/** What was asked under an idempotency key, and how often it was asked again. */
export function KeyList({ search }: { search: KeySearch }) {
  const t = useText(idempotencyMessages);
  const { open, ...filters } = search;
  const state = useTableState(filters);
  const query = useQuery(keyList({ ...filters, limit: state.limit }));
  const navigate = useNavigate();
  // The list stays on its page behind the drawer.
  const show = (id: number | undefined) => void navigate({ to: '/idempotency-keys', search: { ...search, open: id }, state: true, resetScroll: false });
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        id="idempotency-keys"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ key }) => key}
        query={query}
        state={state}
        searchable={false}
        open={({ id }) => show(id)}
        filters={
          <>
            <FilterText label={t('filterKey')} value={search.key} onChange={(key) => state.set({ key })} />
            <FilterText label={t('filterStatus')} value={search.status?.toString()} onChange={(text) => state.set({ status: statusOf(text) })} />
          </>
        }
        readPage={(cursor) => readKeys({ ...filters, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {open !== undefined && <KeyDrawer id={open} onClose={() => show(undefined)} />}
    </>
  );
}

const statusOf = (text: string | undefined) => (text !== undefined && /^[1-5]\d\d$/.test(text) ? Number(text) : undefined);

function useColumns(): Column<IdempotencyKey>[] {
  const t = useText(idempotencyMessages);
  const { number, duration } = useFormat();
  return [
    { id: 'key', header: t('key'), cell: (k) => k.key, text: (k) => k.key, mono: true, narrow: true },
    { id: 'status', header: t('status'), cell: (k) => <ReplyChip status={k.status} />, text: (k) => String(k.status), narrow: true },
    { id: 'request', header: t('request'), cell: (k) => `${k.method} ${k.path}`, text: (k) => `${k.method} ${k.path}`, mono: true },
    { id: 'who', header: t('who'), cell: (k) => <Person person={k.actor} withAvatar />, text: (k) => k.actor.name },
    { id: 'when', header: t('when'), cell: (k) => <When time={k.createdTime} />, text: (k) => k.createdTime, sort: 'id' },
    { id: 'duration', header: t('duration'), cell: (k) => duration(Math.max(1, Math.round(k.durationMs))), text: (k) => String(k.durationMs), align: 'end' },
    { id: 'replays', header: t('replays'), cell: (k) => number(k.replays), text: (k) => String(k.replays), align: 'end' },
    { id: 'expires', header: t('expires'), cell: (k) => <When time={k.expiresTime} />, text: (k) => k.expiresTime, optional: true },
    { id: 'requestId', header: t('requestId'), cell: (k) => k.requestId, text: (k) => k.requestId, mono: true, optional: true },
  ];
}
