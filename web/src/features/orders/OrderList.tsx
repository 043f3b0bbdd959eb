import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { PageHeader, useBulkActions } from '@/ui';
import {
  aDay,
  aCustomer,
  DataTable,
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
import { OrderStatusChip } from './OrderStatusChip';
import { readOrders, type Order, type OrderSearch } from './queries';
import { statuses } from './search-params';
import { useOrderActions, watchedOrders } from './useOrderActions';

const PlaceOrder = lazy(async () => ({ default: (await import('./place/PlaceOrder')).PlaceOrder }));

const rowId = ({ id }: Order) => String(id);

/** The orders, with bulk actions. */
export function OrderList({ search }: { search: Raw<OrderSearch> }) {
  const t = useText(orderMessages);
  const navigate = useNavigate();
  const may = useMay()('orders:write');
  const list = useList<OrderSearch, Order>({ search, queryKey: ['orders', 'list'], read: readOrders });
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: 'orders', actions: useOrderActions(), list, rowId, selection, watched: watchedOrders });
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  const [placing, setPlacing] = useState(false);
  const place = may && (
    <Button variant="filled" onClick={() => setPlacing(true)}>
      {t('new')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')}>{place}</PageHeader>
      {may && bulk.rest}
      <StatusFilter state={list.state} label={t('status')} all={t('all')} options={options} counts="ordersByStatus" />
      <DataTable
        id="orders"
        label={t('title')}
        columns={useColumns()}
        rowId={rowId}
        rowLabel={({ orderNo }) => orderNo}
        list={list}
        filters={
          <>
            <FilterText state={list.state} name="userId" read={aCustomer} label={t('filterUser')} />
            <FilterDay state={list.state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} />
            <FilterDay state={list.state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} />
          </>
        }
        selection={may ? selection : undefined}
        bulk={bulk.buttons}
        open={({ id }) => void navigate({ to: '/orders/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options })}
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
    column.customer('user', t('user'), (o) => o.userId),
    column.count('pieces', t('items'), (o) => o.items.reduce((sum, { quantity }) => sum + quantity, 0)),
    column.money('amount', t('amount'), (o) => o.amount, { sort: 'amount' }),
    column.time('placed', t('placed'), (o) => o.createdTime, { sort: 'createdTime' }),
    column.time('changed', t('changed'), (o) => o.updatedTime, { sort: 'updatedTime', optional: true }),
    column.person('changedBy', t('changedBy'), (o) => o.updatedBy, { optional: true }),
    column.text('coupon', t('coupon'), (o) => o.couponCode, { mono: true, optional: true }),
  ];
}
