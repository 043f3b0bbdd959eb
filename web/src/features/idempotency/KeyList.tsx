import { useNavigate } from '@tanstack/react-router';
import { useFormat, useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { aStatus, DataTable, FilterText, readable, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { KeyDrawer } from './KeyDrawer';
import { idempotencyMessages } from './messages';
import { readKeys, type IdempotencyKey, type KeySearch } from './queries';
import { ReplyChip } from './ReplyChip';

/** The requests with idempotency keys, and how often each was replayed. */
export function KeyList({ search }: { search: Raw<KeySearch> }) {
  const t = useText(idempotencyMessages);
  const list = useList<KeySearch, IdempotencyKey>({ search, queryKey: ['idempotency-keys', 'list'], read: readKeys });
  const navigate = useNavigate();
  const { open } = readable<KeySearch>(search);
  // The list stays on its page behind the drawer.
  const show = (id: number | undefined) => void navigate({ to: '.', search: { ...search, open: id } as never, state: true, resetScroll: false });
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        id="idempotency-keys"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ key }) => key}
        list={list}
        searchable={false}
        open={({ id }) => show(id)}
        filters={
          <>
            <FilterText state={list.state} name="key" label={t('filterKey')} />
            <FilterText state={list.state} name="status" read={aStatus} label={t('filterStatus')} />
          </>
        }
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {open !== undefined && <KeyDrawer id={open} onClose={() => show(undefined)} />}
    </>
  );
}

function useColumns(): Column<IdempotencyKey>[] {
  const t = useText(idempotencyMessages);
  const { duration } = useFormat();
  const column = useColumn<IdempotencyKey>();
  return [
    column.text('key', t('key'), (k) => k.key, { mono: true, narrow: true }),
    column.text('status', t('status'), (k) => k.status, { cell: (k) => <ReplyChip status={k.status} />, narrow: true }),
    column.text('request', t('request'), (k) => `${k.method} ${k.path}`, { mono: true, narrow: true }),
    column.person('who', t('who'), (k) => k.actor),
    column.time('when', t('when'), (k) => k.createdTime, { sort: 'id' }),
    column.count('duration', t('duration'), (k) => k.durationMs, {
      cell: (k) => duration(Math.max(1, Math.round(k.durationMs))),
      fileHeader: t('durationMs'),
    }),
    column.count('replays', t('replays'), (k) => k.replays),
    column.time('expires', t('expires'), (k) => k.expiresTime, { optional: true }),
    column.text('requestId', t('requestId'), (k) => k.requestId, { mono: true, optional: true }),
  ];
}
