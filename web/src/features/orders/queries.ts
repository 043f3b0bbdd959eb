import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, pages, type components, type operations } from '@/api';
import { startOf, type TableSearch } from '@/ui/table';

export type Order = components['schemas']['Order'];
export type OrderStatus = components['schemas']['OrderStatus'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type OrderVerdict = components['schemas']['OrderVerdict'];
export type NewOrder = components['schemas']['OrderCreate'];
export type OrderAction = Order['allowedTransitions'][number];
type ListQuery = NonNullable<operations['listOrders']['parameters']['query']>;

export interface OrderSearch extends TableSearch {
  status?: OrderStatus;
  userId?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

const historyPage = 50;

/** One page of orders. */
export function readOrders({ from, to, ...search }: OrderSearch, signal?: AbortSignal) {
  const query = { ...search, from: startOf(from), to: startOf(to, 1) } as ListQuery;
  return data(api.GET('/api/v1/orders', { params: { query }, signal }));
}

export function readOrder(id: number, signal?: AbortSignal): Promise<Order> {
  return data(api.GET('/api/v1/orders/{id}', { params: { path: { id } }, signal }));
}

export function oneOrder(id: number) {
  return queryOptions({ queryKey: ['orders', 'one', String(id)], queryFn: ({ signal }) => readOrder(id, signal) });
}

/** A page of an order's history, newest first. */
export function readOrderHistory(id: number, cursor: string | undefined, signal?: AbortSignal) {
  return data(api.GET('/api/v1/orders/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal }));
}

export const orderHistory = (id: number) => pages(['orders', 'one', String(id), 'history'], (cursor, signal) => readOrderHistory(id, cursor, signal));

/** The inputs of all transitions; each transition uses some of them. */
export interface StepInput {
  /** The source of the payment. */
  method: 'external' | 'wallet';
  reference: string;
  carrier: string;
  trackingNo: string;
  /** Ships an order that was completely refunded. */
  shipRefunded: boolean;
  reason: string;
}

export const emptyStep: StepInput = { method: 'external', reference: '', carrier: '', trackingNo: '', shipRefunded: false, reason: '' };

const members = {
  pay: ({ method, reference }: StepInput) => (method === 'wallet' ? { method } : { method, reference: reference.trim() }),
  ship: ({ carrier, trackingNo, shipRefunded }: StepInput) => ({
    carrier: carrier.trim(),
    trackingNo: trackingNo.trim(),
    ...(shipRefunded && { shipRefunded }),
  }),
  complete: () => ({}),
  cancel: ({ reason }: StepInput) => ({ reason: reason.trim() }),
};

/** Performs a transition, guarded by the displayed version. */
export function takeStep(id: number, etag: string, action: OrderAction, step: StepInput, key: string): Promise<Order> {
  const init = { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) };
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

/** Performs a transition on up to 500 orders. */
export async function takeBatch(action: OrderAction, ids: number[], step: StepInput, key: string): Promise<OrderVerdict[]> {
  const body = { action, ids, ...members[action](step) };
  return (await data(api.POST('/api/v1/order-batches', { body, headers: idempotent(key) }))).items;
}

export const placeOrder = (order: NewOrder, key: string) => data(api.POST('/api/v1/orders', { body: order, headers: idempotent(key) }));
