import { Button, Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isCustomerId, useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Money, PageHeader, Person, When } from '@/ui';
import { DataTable, FilterText, useSelection, useTableState, type Column } from '@/ui/table';
import { BulkDialog } from './BulkDialog';
import { orderMessages } from './messages';
import { OrderStatusChip } from './OrderStatusChip';
import { orderCounts, orderList, readOrders, type Order, type OrderAction, type OrderSearch } from './queries';
import { PlaceOrder } from './place/PlaceOrder';
import { statuses } from './search-params';

const actions = ['pay', 'ship', 'complete', 'cancel'] as const;

/** Every order, and what can be done with many at once. */
export function OrderList({ search }: { search: OrderSearch }) {
  const t = useText(orderMessages);
  const navigate = useNavigate();
  const may = useMay()('orders:write');
  const state = useTableState(search);
  const query = useQuery(orderList({ ...search, limit: state.limit }));
  const selection = useSelection<Order>((order) => String(order.id), search);
  const [bulk, setBulk] = useState<OrderAction>();
  const [placing, setPlacing] = useState(false);
  return (
    <>
      <PageHeader title={t('title')}>
        {may && (
          <Button variant="filled" onClick={() => setPlacing(true)}>
            {t('new')}
          </Button>
        )}
      </PageHeader>
      <StatusFilter search={search} choose={(status) => state.set({ status })} />
      <DataTable
        id="orders"
        label={t('title')}
        columns={useColumns()}
        rowId={(order) => String(order.id)}
        rowLabel={(order) => order.orderNo}
        query={query}
        state={state}
        filters={
          <>
            <FilterText label={t('filterUser')} value={search.userId} onChange={(text) => state.set({ userId: userIdOf(text) })} />
            <TextInput type="date" aria-label={t('filterFrom')} title={t('filterFrom')} leftSection={t('from')} leftSectionWidth={52} value={search.from ?? ''} onChange={(event) => state.set({ from: event.currentTarget.value || undefined })} />
            <TextInput type="date" aria-label={t('filterTo')} title={t('filterTo')} leftSection={t('to')} leftSectionWidth={52} value={search.to ?? ''} onChange={(event) => state.set({ to: event.currentTarget.value || undefined })} />
          </>
        }
        selection={may ? selection : undefined}
        bulk={actions.map((action) => (
          <Button key={action} size="xs" onClick={() => setBulk(action)}>
            {t(action)}
          </Button>
        ))}
        open={(order) => void navigate({ to: '/orders/$id', params: { id: String(order.id) } })}
        readPage={(cursor) => readOrders({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
      {placing && <PlaceOrder onClose={() => setPlacing(false)} />}
      {bulk !== undefined && <BulkDialog action={bulk} search={search} selection={selection} onClose={() => setBulk(undefined)} />}
    </>
  );
}

function userIdOf(text: string | undefined): string | undefined {
  return text !== undefined && isCustomerId(text) ? text : undefined;
}

function StatusFilter({ search, choose }: { search: OrderSearch; choose: (status: OrderSearch['status']) => void }) {
  const t = useText(orderMessages);
  const { number } = useFormat();
  const { data: counts } = useQuery(orderCounts(search));
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={t('status')}>
      {[undefined, ...statuses].map((status) => (
        <Button key={status ?? 'all'} size="xs" radius="xl" aria-pressed={search.status === status} variant={search.status === status ? 'filled' : 'default'} onClick={() => choose(status)}>
          {t(status ?? 'all')}
          {status !== undefined && counts !== undefined && ` ${number(counts[status])}`}
        </Button>
      ))}
    </Group>
  );
}

function useColumns(): Column<Order>[] {
  const t = useText(orderMessages);
  const { plainMoney } = useFormat();
  const pieces = (order: Order) => order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  return [
    {
      id: 'number',
      header: t('number'),
      cell: (o) => (
        <Link to="/orders/$id" params={{ id: String(o.id) }}>
          {o.orderNo}
        </Link>
      ),
      text: (o) => o.orderNo,
      sort: 'id',
      mono: true,
      narrow: true,
    },
    { id: 'status', header: t('status'), cell: (o) => <OrderStatusChip status={o.status} />, text: (o) => o.status, narrow: true },
    { id: 'user', header: t('user'), cell: (o) => o.userId, text: (o) => o.userId, align: 'end' },
    { id: 'pieces', header: t('items'), cell: pieces, text: (o) => String(pieces(o)), align: 'end' },
    { id: 'amount', header: t('amount'), cell: (o) => <Money minor={o.amount} />, text: (o) => plainMoney(o.amount), sort: 'amount', align: 'end' },
    { id: 'placed', header: t('placed'), cell: (o) => <When time={o.createdTime} />, text: (o) => o.createdTime, sort: 'createdTime' },
    { id: 'changed', header: t('changed'), cell: (o) => <When time={o.updatedTime} />, text: (o) => o.updatedTime, sort: 'updatedTime', optional: true },
    { id: 'changedBy', header: t('changedBy'), cell: (o) => <Person person={o.updatedBy} />, text: (o) => o.updatedBy.name, optional: true },
    { id: 'coupon', header: t('coupon'), cell: (o) => o.couponCode, text: (o) => o.couponCode ?? '', mono: true, optional: true },
  ];
}
