import { Link, useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import {
  aCustomer,
  aDay,
  anId,
  DataTable,
  FilterChoice,
  FilterDay,
  FilterText,
  StatusFilter,
  useColumn,
  useList,
  filterTextOf,
  type Column,
  type Raw,
} from '@/ui/table';
import { paymentMessages } from './messages';
import { PaymentStatusChip } from './PaymentStatusChip';
import { readPayments, type Payment, type PaymentSearch } from './queries';
import { methods, statuses } from './statuses';

/** Every payment; the unmatched ones are money that no order could take. */
export function PaymentList({ search }: { search: Raw<PaymentSearch> }) {
  const t = useText(paymentMessages);
  const navigate = useNavigate();
  const list = useList<PaymentSearch, Payment>({ search, queryKey: ['payments', 'list'], read: readPayments });
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  const sources = methods.map((method) => ({ value: method, label: t(method) }));
  return (
    <>
      <PageHeader title={t('title')} />
      <StatusFilter state={list.state} label={t('status')} all={t('all')} options={options} />
      <DataTable
        id="payments"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ id }) => t('payment', { id: String(id) })}
        list={list}
        filters={
          <>
            <FilterChoice state={list.state} name="method" label={t('method')} any={t('anyMethod')} options={sources} />
            <FilterText state={list.state} name="orderId" read={anId} label={t('filterOrder')} />
            <FilterText state={list.state} name="userId" read={aCustomer} label={t('filterUser')} />
            <FilterDay state={list.state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} />
            <FilterDay state={list.state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} />
          </>
        }
        open={({ id }) => void navigate({ to: '/payments/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options, method: sources })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

function useColumns(): Column<Payment>[] {
  const t = useText(paymentMessages);
  const column = useColumn<Payment>();
  return [
    column.text('number', t('number'), ({ id }) => id, {
      cell: ({ id }) => (
        <Link to="/payments/$id" params={{ id: String(id) }} aria-label={t('payment', { id: String(id) })}>
          {id}
        </Link>
      ),
      sort: 'id',
      mono: true,
      narrow: true,
    }),
    column.text('status', t('status'), ({ status }) => status, { cell: ({ status }) => <PaymentStatusChip status={status} />, narrow: true }),
    column.money('amount', t('amount'), ({ amount }) => amount, { sort: 'amount', narrow: true }),
    column.text('order', t('order'), ({ orderNo }) => orderNo, {
      cell: ({ orderId, orderNo }) =>
        orderId !== null && (
          <Link to="/orders/$id" params={{ id: String(orderId) }}>
            {orderNo}
          </Link>
        ),
      mono: true,
    }),
    column.customer('user', t('user'), ({ userId }) => userId, { narrow: true }),
    column.text('method', t('method'), ({ method }) => method, { cell: ({ method }) => t(method), narrow: true }),
    column.text('reference', t('reference'), ({ reference }) => reference, { mono: true }),
    column.time('received', t('received'), ({ createdTime }) => createdTime, { sort: 'createdTime' }),
    column.text('provider', t('provider'), ({ provider }) => provider, { optional: true }),
    column.money('refunded', t('refundedAmount'), ({ refunded }) => refunded, { optional: true }),
    column.person('recordedBy', t('recordedBy'), ({ recordedBy }) => recordedBy, { optional: true }),
    column.text('reason', t('reason'), ({ reason }) => reason, { optional: true }),
    column.time('changed', t('changed'), ({ updatedTime }) => updatedTime, { sort: 'updatedTime', optional: true }),
  ];
}
