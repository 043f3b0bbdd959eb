import { useFormat, useText } from '@/i18n';
import { RecordLink, StatusChip } from '@/ui';
import { DataTable, TableSection, useColumn, useList, type Column, type Raw, type TableSearch } from '@/ui/table';
import { webhookMessages } from './messages';
import { readDeliveries, type Delivery } from './queries';

/** Every attempt to deliver a message in the last seven days, newest first. */
export function Deliveries({ id, search }: { id: number; search: Raw<TableSearch> }) {
  const t = useText(webhookMessages);
  const list = useList<TableSearch, Delivery>({
    search,
    queryKey: ['webhooks', 'one', String(id), 'deliveries'],
    read: (asked, signal) => readDeliveries(id, asked, signal),
  });
  return (
    <TableSection id="deliveries" title={t('deliveries')} hint={t('deliveriesHint')}>
      <DataTable
        id="deliveries"
        label={t('deliveries')}
        columns={useColumns()}
        rowId={(d) => String(d.id)}
        rowLabel={({ messageId }) => messageId}
        list={list}
        searchable={false}
        empty={{ title: t('noDeliveries'), hint: t('noDeliveriesHint') }}
      />
    </TableSection>
  );
}

function useColumns(): Column<Delivery>[] {
  const t = useText(webhookMessages);
  const { number } = useFormat();
  const column = useColumn<Delivery>();
  return [
    column.time('time', t('time'), (d) => d.createdTime, { sort: 'id', narrow: true }),
    column.text('outcome', t('outcome'), (d) => d.status ?? d.error, {
      cell: ({ delivered, status }) => (
        <StatusChip tone={delivered ? 'ok' : 'bad'}>
          {status === null ? t('noReply') : t(delivered ? 'deliveredWith' : 'rejectedWith', { status: String(status) })}
        </StatusChip>
      ),
      narrow: true,
    }),
    column.text('type', t('type'), (d) => d.type, { mono: true, narrow: true }),
    column.text('resource', t('resource'), (d) => d.resource, { cell: (d) => d.resource !== '' && <RecordLink path={d.resource} /> }),
    column.count('attempt', t('attempt'), (d) => d.attempt),
    column.text('duration', t('duration'), (d) => d.duration, { cell: (d) => t('ms', { n: number(Math.round(d.duration)) }), align: 'end' }),
    column.text('reply', t('reply'), (d) => d.error ?? d.reply),
    column.text('messageId', t('messageId'), (d) => d.messageId, { mono: true, optional: true }),
  ];
}
