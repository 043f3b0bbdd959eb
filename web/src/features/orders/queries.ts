import { queryOptions } from '@tanstack/react-query';
import { resource, type components } from '@/api';
import { inTimes, type TableSearch } from '@/ui/table';

export type Order = components['schemas']['Order'];
export type OrderStatus = components['schemas']['OrderStatus'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type OrderVerdict = components['schemas']['OrderVerdict'];
type OrderCreate = components['schemas']['OrderCreate'];
/** The contract's type requires members that have a default. */
export type NewOrder = Pick<OrderCreate, 'userId' | 'items'> & Partial<OrderCreate>;
export type NewParcel = components['schemas']['ShipmentCreate'];
export type OrderAction = Order['allowedTransitions'][number];

export interface OrderSearch extends TableSearch {
  status?: OrderStatus;
  paymentStatus?: Order['paymentStatus'];
  fulfilmentStatus?: Order['fulfilmentStatus'];
  /** True for orders with units that can be shipped now. */
  toShip?: true;
  userId?: string;
  tag?: string;
  flashSaleId?: number;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

const orders = resource('/api/v1/orders');
export const { read: readOrder, one: oneOrder, history: orderHistory, part: readOrderPart, act: actOnOrder, edit: editOrder } = orders;

/** One page of orders. */
export const readOrders = (search: OrderSearch, signal?: AbortSignal) => orders.list(inTimes(search), signal);

export const placeOrder = (order: NewOrder, key: string) => orders.create(order as OrderCreate, key);

/** The labels of the steps on the page of an order. */
export const stepLabels = { pay: 'recordPayment', ship: 'ship', complete: 'complete', cancel: 'cancel' } as const satisfies Record<OrderAction, string>;

/** The maximum number of an order's parcels displayed with it. */
const maxParcels = 200;

/** The parcels of an order, newest first. */
export const parcelsOf = (id: number) =>
  queryOptions({
    queryKey: ['orders', 'one', String(id), 'shipments'],
    queryFn: ({ signal }) => orders.part(id, 'shipments', { limit: maxParcels }, signal),
  });

/** Ships a parcel, guarded by the displayed version, and returns the order after it. */
export async function shipParcel(id: number, etag: string, body: NewParcel, key: string): Promise<Order> {
  await orders.act(id, 'shipments', { body, etag, key });
  return readOrder(id);
}

/** The inputs of all transitions; each transition uses some of them. */
export interface StepInput {
  reference: string;
  carrier: string;
  trackingNo: string;
  reason: string;
}

export const emptyStep: StepInput = { reference: '', carrier: '', trackingNo: '', reason: '' };

const members = {
  pay: ({ reference }: StepInput) => ({ method: 'external' as const, reference: reference.trim() }),
  ship: ({ carrier, trackingNo }: StepInput) => ({ carrier: carrier.trim(), trackingNo: trackingNo.trim() }),
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
