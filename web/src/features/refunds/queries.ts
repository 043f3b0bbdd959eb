import { queryOptions } from '@tanstack/react-query';
import { resource, type components } from '@/api';
import { actOnOrder } from '@/features/orders/queries';
import { inTimes, type TableSearch } from '@/ui/table';

export type Refund = components['schemas']['RefundRead'];
export type RefundStatus = components['schemas']['RefundStatus'];
export type RefundEvent = components['schemas']['RefundEvent'];
export type RefundRequest = components['schemas']['RefundRequest'];
export type RefundAction = Refund['allowedTransitions'][number];

export interface RefundSearch extends TableSearch {
  status?: RefundStatus;
  orderId?: number;
  userId?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

/** The maximum number of an order's refunds displayed with it. */
const maxRefunds = 200;

const refunds = resource('/api/v1/refunds');
export const { one: oneRefund, history: refundHistory } = refunds;

/** One page of refunds. */
export const readRefunds = (search: RefundSearch, signal?: AbortSignal) => refunds.list(inTimes(search), signal);

/** The refunds of an order, newest first. */
export const refundsOf = (orderId: number) =>
  queryOptions({
    queryKey: ['refunds', 'list', 'of', orderId],
    queryFn: ({ signal }) => refunds.list({ orderId, limit: maxRefunds }, signal),
  });

/** Requests a refund of an order. The service checks the maximum and calculates the value of lines. */
export const requestRefund = (orderId: number, body: RefundRequest, key: string) => actOnOrder(orderId, 'refunds', { body, key });

/** The inputs of all transitions; a transition uses at most one of them. */
export interface StepInput {
  reason: string;
  reference: string;
}

export const emptyStep: StepInput = { reason: '', reference: '' };

const reasonOf = ({ reason }: StepInput) => ({ reason: reason.trim() });
const members = {
  approve: () => ({}),
  reject: reasonOf,
  settle: ({ reference }: StepInput) => ({ reference: reference.trim() }),
  fail: reasonOf,
  unknown: reasonOf,
};

/** Performs a transition, guarded by the displayed version. The client throws if it became a proposal. */
export const takeStep = (id: number, etag: string, action: RefundAction, step: StepInput, key: string) =>
  refunds.act(id, action, { body: members[action](step), etag, key });
