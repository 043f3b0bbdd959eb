import { OrderRecordList } from '@/features/order-records/OrderRecordList';
import { useText } from '@/i18n';
import { useColumn, type Raw } from '@/ui/table';
import { refundMessages } from './messages';
import { readRefunds, type Refund, type RefundSearch } from './queries';
import { RefundStatusChip } from './RefundStatusChip';
import { statuses } from './statuses';

/** Every refund: those that wait for a decision or for a provider, and the completed ones. */
export function RefundList({ search }: { search: Raw<RefundSearch> }) {
  const t = useText(refundMessages);
  const column = useColumn<Refund>();
  return (
    <OrderRecordList<RefundSearch, Refund>
      folder="refunds"
      search={search}
      read={readRefunds}
      title={t('title')}
      name={(id) => t('refund', { id: String(id) })}
      statuses={statuses.map((status) => ({ value: status, label: t(status) }))}
      counts="refundsByStatus"
      chip={({ status }) => <RefundStatusChip status={status} />}
      facts={[column.money('amount', t('amount'), ({ amount }) => amount, { sort: 'amount', narrow: true })]}
      more={[
        column.text('method', t('method'), ({ method }) => method, { cell: ({ method }) => t(method) }),
        column.person('askedBy', t('requestedBy'), ({ requestedBy }) => requestedBy),
        column.time('asked', t('asked'), ({ createdTime }) => createdTime, { sort: 'createdTime' }),
        column.text('reason', t('reason'), ({ reason }) => reason, { optional: true }),
        column.text('reference', t('reference'), ({ reference }) => reference, { mono: true, optional: true }),
      ]}
      days={{ from: t('filterFrom'), to: t('filterTo') }}
      isSearchable={false}
      empty={{ title: t('empty'), hint: t('emptyHint') }}
    />
  );
}
