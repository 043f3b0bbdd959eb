import { queryOptions } from '@tanstack/react-query';
import { resource, type components } from '@/api';
import { actOnOrder } from '@/features/orders/queries';
import { inTimes, type TableSearch } from '@/ui/table';

export type Payment = components['schemas']['PaymentRecord'];
export type PaymentStatus = components['schemas']['PaymentStatus'];
export type PaymentEvent = components['schemas']['PaymentEvent'];
export type Receipt = components['schemas']['PaymentReceipt'];
export type PaymentAction = Payment['allowedTransitions'][number];

export interface PaymentSearch extends TableSearch {
  status?: PaymentStatus;
  orderId?: number;
  userId?: string;
  method?: Payment['method'];
  provider?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

/** The maximum number of an order's payments displayed with it. */
const maxPayments = 200;

const payments = resource('/api/v1/payments');
export const { one: onePayment, history: paymentHistory } = payments;

/** One page of payments. */
export const readPayments = (search: PaymentSearch, signal?: AbortSignal) => payments.list(inTimes(search), signal);

/** The payments of an order in the order of their receipt, and the unmatched ones that name it. */
export const paymentsOf = (orderId: number) =>
  queryOptions({
    queryKey: ['payments', 'list', 'of', orderId],
    queryFn: ({ signal }) => payments.list({ orderId, sort: 'id', limit: maxPayments }, signal),
  });

/** Records a payment of an order. If the order cannot take money from outside, the payment is unmatched. */
export const recordPayment = (orderId: number, body: Receipt, key: string) => actOnOrder(orderId, 'payments', { body, key });

/** The inputs of both transitions. */
export interface StepInput {
  /** The order that receives the payment, for `apply`. */
  orderId: number | null;
  /** The reason for sending it back, for `refund`. */
  reason: string;
}

/** Performs a transition, guarded by the displayed version. The client throws if it became a proposal. */
export const takeStep = (id: number, etag: string, action: PaymentAction, { orderId, reason }: StepInput, key: string) =>
  action === 'apply'
    ? payments.act(id, 'apply', { body: { orderId: orderId ?? 0 }, etag, key })
    : payments.act(id, 'refund', { body: { reason: reason.trim() }, etag, key });
