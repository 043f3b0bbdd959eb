import { Link, useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { aCustomer, aDay, anId, DataTable, FilterDay, FilterText, StatusFilter, useColumn, useList, filterTextOf, type Column, type Raw } from '@/ui/table';
import { refundMessages } from './messages';
import { readRefunds, type Refund, type RefundSearch } from './queries';
import { RefundStatusChip } from './RefundStatusChip';
import { statuses } from './statuses';

/** Every refund: those that wait for a decision or for a provider, and the completed ones. */
export function RefundList({ search }: { search: Raw<RefundSearch> }) {
  const t = useText(refundMessages);
  const navigate = useNavigate();
  const list = useList<RefundSearch, Refund>({ search, queryKey: ['refunds', 'list'], read: readRefunds });
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  return (
    <>
      <PageHeader title={t('title')} />
      <StatusFilter state={list.state} label={t('status')} all={t('all')} options={options} counts="refundsByStatus" />
      <DataTable
        id="refunds"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ id }) => t('refund', { id: String(id) })}
        list={list}
        searchable={false}
        filters={
          <>
            <FilterText state={list.state} name="orderId" read={anId} label={t('filterOrder')} />
            <FilterText state={list.state} name="userId" read={aCustomer} label={t('filterUser')} />
            <FilterDay state={list.state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} />
            <FilterDay state={list.state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} />
          </>
        }
        open={({ id }) => void navigate({ to: '/refunds/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

function useColumns(): Column<Refund>[] {
  const t = useText(refundMessages);
  const column = useColumn<Refund>();
  return [
    column.text('number', t('number'), ({ id }) => id, {
      cell: ({ id }) => (
        <Link to="/refunds/$id" params={{ id: String(id) }} aria-label={t('refund', { id: String(id) })}>
          {id}
        </Link>
      ),
      sort: 'id',
      mono: true,
      narrow: true,
    }),
    column.text('status', t('status'), ({ status }) => status, { cell: ({ status }) => <RefundStatusChip status={status} />, narrow: true }),
    column.money('amount', t('amount'), ({ amount }) => amount, { sort: 'amount', narrow: true }),
    column.text('order', t('order'), ({ orderNo }) => orderNo, {
      cell: ({ orderId, orderNo }) => (
        <Link to="/orders/$id" params={{ id: String(orderId) }}>
          {orderNo}
        </Link>
      ),
      mono: true,
    }),
    column.customer('user', t('user'), ({ userId }) => userId, { narrow: true }),
    column.text('method', t('method'), ({ method }) => method, { cell: ({ method }) => t(method) }),
    column.person('askedBy', t('askedBy'), ({ requestedBy }) => requestedBy),
    column.time('asked', t('asked'), ({ createdTime }) => createdTime, { sort: 'createdTime' }),
    column.text('reason', t('reason'), ({ reason }) => reason, { optional: true }),
    column.text('reference', t('reference'), ({ reference }) => reference, { mono: true, optional: true }),
    column.time('changed', t('changed'), ({ updatedTime }) => updatedTime, { sort: 'updatedTime', optional: true }),
    column.person('changedBy', t('changedBy'), ({ updatedBy }) => updatedBy, { optional: true }),
  ];
}
