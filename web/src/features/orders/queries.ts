import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';
import { startOf, statuses } from './search-params';

export type Order = components['schemas']['Order'];
export type OrderStatus = components['schemas']['OrderStatus'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type OrderVerdict = components['schemas']['OrderVerdict'];
export type OrderAction = Order['allowedTransitions'][number];
type ListQuery = NonNullable<operations['listOrders']['parameters']['query']>;

export interface OrderSearch extends TableSearch {
  status?: OrderStatus;
  userId?: string;
  /** The first day, where the browser is. */
  from?: string;
  /** The last day, itself included. */
  to?: string;
}

/** One page of orders. */
export function readOrders({ from, to, ...search }: OrderSearch, signal?: AbortSignal) {
  const query = { ...search, from: from && startOf(from), to: to && startOf(to, 1) } as ListQuery;
  return data(api.GET('/api/v1/orders', { params: { query }, signal }));
}

export function orderList(search: OrderSearch) {
  return queryOptions({
    queryKey: ['orders', 'list', search],
    queryFn: ({ signal }) => readOrders(search, signal),
    placeholderData: keepPreviousData,
  });
}

/** How many orders of each status match the other filters. */
export function orderCounts({ q, userId, from, to }: OrderSearch) {
  const filters = { q, userId, from, to };
  return queryOptions({
    queryKey: ['orders', 'counts', filters],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(statuses.map((status) => readOrders({ ...filters, status, limit: 1 }, signal)));
      return Object.fromEntries(statuses.map((status, i) => [status, pages[i]?.total ?? 0])) as Record<OrderStatus, number>;
    },
    placeholderData: keepPreviousData,
  });
}

export function oneOrder(id: number) {
  return queryOptions({
    queryKey: ['orders', 'one', id],
    queryFn: ({ signal }) => data(api.GET('/api/v1/orders/{id}', { params: { path: { id } }, signal })),
  });
}

export function orderHistory(id: number) {
  return queryOptions({
    queryKey: ['orders', 'one', id, 'history'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/orders/{id}/history', { params: { path: { id }, query: { limit: 200 } }, signal })),
  });
}

/** What the actions bring; each takes its own members. */
export interface StepInput {
  reference: string;
  carrier: string;
  trackingNo: string;
  reason: string;
}

export const emptyStep: StepInput = { reference: '', carrier: '', trackingNo: '', reason: '' };

const members = {
  pay: ({ reference }: StepInput) => ({ method: 'external' as const, ...(reference === '' ? {} : { reference }) }),
  ship: ({ carrier, trackingNo }: StepInput) => ({ carrier, trackingNo }),
  complete: () => ({}),
  cancel: ({ reason }: StepInput) => ({ reason }),
};

/** Takes one step with an order, guarded by the version that was seen. */
export function takeStep(order: Order, action: OrderAction, step: StepInput, key: string): Promise<Order> {
  const init = { params: { path: { id: order.id }, header: { 'If-Match': order.etag } }, headers: idempotent(key) };
  switch (action) {
    case 'pay':
      return data(api.POST('/api/v1/orders/{id}/pay', { ...init, body: members.pay(step) }));
    case 'ship':
      return data(api.POST('/api/v1/orders/{id}/ship', { ...init, body: members.ship(step) }));
    case 'complete':
      return data(api.POST('/api/v1/orders/{id}/complete', { ...init, body: {} }));
    case 'cancel':
      return data(api.POST('/api/v1/orders/{id}/cancel', { ...init, body: members.cancel(step) }));
  }
}

/** Takes one step with each of at most 500 orders. */
export async function takeBatch(action: OrderAction, ids: number[], step: StepInput, key: string): Promise<OrderVerdict[]> {
  const body = { action, ids, ...members[action](step) };
  return (await data(api.POST('/api/v1/order-batches', { body, headers: idempotent(key) }))).items;
}
