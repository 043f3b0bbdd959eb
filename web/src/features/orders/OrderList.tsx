import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { useText } from '@/i18n';
import { PageHeader, useBulkActions } from '@/ui';
import {
  aDay,
  aCustomer,
  Choice,
  DataTable,
  FilterChoice,
  FilterDay,
  FilterText,
  StatusFilter,
  useColumn,
  useList,
  useSelection,
  filterTextOf,
  type Column,
  type Raw,
} from '@/ui/table';
import { orderMessages } from './messages';
import { FulfilmentChip, OrderStatusChip, PaidChip } from './OrderStatusChip';
import { readOrders, type Order, type OrderSearch } from './queries';
import { orderResource } from './resource';
import { fulfilmentStatuses, paymentStatuses, statuses } from './search-params';
import { useOrderActions, watchedOrders } from './useOrderActions';

const PlaceOrder = lazy(async () => ({ default: (await import('./place/PlaceOrder')).PlaceOrder }));

const rowId = ({ id }: Order) => String(id);

/** The orders, with bulk actions. */
export function OrderList({ search }: { search: Raw<OrderSearch> }) {
  const t = useText(orderMessages);
  const navigate = useNavigate();
  const permitted = useMay();
  const [may, mayPayments] = [permitted('orders:write'), permitted('payments:read')];
  const list = useList<OrderSearch, Order>({ search, queryKey: ['orders', 'list'], read: readOrders });
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: 'orders', actions: useOrderActions(), list, rowId, selection, watched: watchedOrders });
  const { state } = list;
  const { toShip, paymentStatus } = state.search;
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  const payments = paymentStatuses.map((status) => ({ value: status, label: t(`payment_${status}`) }));
  const fulfilments = fulfilmentStatuses.map((status) => ({ value: status, label: t(`fulfilment_${status}`) }));
  const [placing, setPlacing] = useState(false);
  const place = <CreateButton of={orderResource} onClick={() => setPlacing(true)} />;
  return (
    <>
      <PageHeader title={t('title')}>{place}</PageHeader>
      {may && bulk.rest}
      <StatusFilter state={state} label={t('status')} all={t('all')} options={options} counts="ordersByStatus">
        <Choice isChosen={toShip === true} onChoose={() => state.set({ toShip: toShip === true ? undefined : true })}>
          {t('toPack')}
        </Choice>
        <Choice isChosen={paymentStatus === 'unpaid'} onChoose={() => state.set({ paymentStatus: paymentStatus === 'unpaid' ? undefined : 'unpaid' })}>
          {t('payment_unpaid')}
        </Choice>
        {mayPayments && (
          <Link to="/payments" search={{ status: 'unmatched' }}>
            {t('unmatchedPayments')}
          </Link>
        )}
        {permitted('returns:read') && (
          <Link to="/returns" search={{ status: 'requested' }}>
            {t('returnsToReceive')}
          </Link>
        )}
      </StatusFilter>
      <DataTable
        id="orders"
        label={t('title')}
        columns={useColumns()}
        rowId={rowId}
        rowLabel={({ orderNo }) => orderNo}
        list={list}
        filters={
          <>
            <FilterChoice state={state} name="paymentStatus" label={t('payment')} any={t('anyPayment')} options={payments} />
            <FilterChoice state={state} name="fulfilmentStatus" label={t('fulfilment')} any={t('anyFulfilment')} options={fulfilments} />
            <FilterText state={state} name="userId" read={aCustomer} label={t('filterUser')} />
            <FilterText state={state} name="tag" label={t('filterTag')} />
            <FilterDay state={state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} />
            <FilterDay state={state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} />
          </>
        }
        selection={may ? selection : undefined}
        bulk={bulk.buttons}
        open={({ id }) => void navigate({ to: '/orders/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options, paymentStatus: payments, fulfilmentStatus: fulfilments, toShip: [{ value: 'true', label: t('toPack') }] })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: place }}
      />
      <Suspense>{placing && <PlaceOrder onClose={() => setPlacing(false)} />}</Suspense>
    </>
  );
}

function useColumns(): Column<Order>[] {
  const t = useText(orderMessages);
  const column = useColumn<Order>();
  return [
    column.text('number', t('number'), (o) => o.orderNo, {
      cell: (o) => (
        <Link to="/orders/$id" params={{ id: String(o.id) }}>
          {o.orderNo}
        </Link>
      ),
      sort: 'id',
      mono: true,
      narrow: true,
    }),
    column.text('status', t('status'), (o) => o.status, { cell: (o) => <OrderStatusChip status={o.status} />, narrow: true }),
    column.text('payment', t('payment'), (o) => o.paymentStatus, { cell: (o) => <PaidChip status={o.paymentStatus} /> }),
    column.text('fulfilment', t('fulfilment'), (o) => o.fulfilmentStatus, { cell: (o) => <FulfilmentChip status={o.fulfilmentStatus} /> }),
    column.customer('user', t('user'), (o) => o.userId, { narrow: true }),
    column.count('pieces', t('items'), (o) => o.items.reduce((sum, { quantity }) => sum + quantity, 0)),
    column.money('amount', t('amount'), (o) => o.amount, { sort: 'amount', narrow: true }),
    column.money('due', t('due'), (o) => o.due, { optional: true }),
    column.time('placed', t('placed'), (o) => o.createdTime, { sort: 'createdTime', narrow: true }),
    column.time('changed', t('changed'), (o) => o.updatedTime, { sort: 'updatedTime', optional: true }),
    column.person('changedBy', t('changedBy'), (o) => o.updatedBy, { optional: true }),
    column.text('coupon', t('coupon'), (o) => o.couponCode, { mono: true, optional: true }),
    column.text('externalId', t('externalId'), (o) => o.externalId, { mono: true, optional: true }),
    column.text('email', t('email'), (o) => o.email, { optional: true }),
    column.text('tags', t('tags'), (o) => o.tags.join(', '), { optional: true }),
  ];
}
