import { resource, type components } from '@/api';
import { inTimes, type TableSearch } from '@/ui/table';

export type Order = components['schemas']['Order'];
export type OrderStatus = components['schemas']['OrderStatus'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type OrderVerdict = components['schemas']['OrderVerdict'];
export type NewOrder = components['schemas']['OrderCreate'];
export type OrderAction = Order['allowedTransitions'][number];

export interface OrderSearch extends TableSearch {
  status?: OrderStatus;
  userId?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

const orders = resource('/api/v1/orders');
export const { read: readOrder, one: oneOrder, history: orderHistory, part: readOrderPart, act: actOnOrder, create: placeOrder } = orders;

/** One page of orders. */
export const readOrders = (search: OrderSearch, signal?: AbortSignal) => orders.list(inTimes(search), signal);

/** The inputs of all transitions; each transition uses some of them. */
export interface StepInput {
  /** The source of the payment. */
  method: 'external' | 'wallet';
  reference: string;
  carrier: string;
  trackingNo: string;
  /** Confirms the shipment of an order that was completely refunded. */
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
export const takeStep = (id: number, etag: string, action: OrderAction, step: StepInput, key: string) =>
  orders.act(id, action, { body: members[action](step), etag, key });

const batches = resource('/api/v1/order-batches');

/** Performs a transition on up to 500 orders. */
export async function takeBatch(action: OrderAction, ids: number[], step: StepInput, key: string): Promise<OrderVerdict[]> {
  return (await batches.create({ action, ids, ...members[action](step) }, key)).items;
}
