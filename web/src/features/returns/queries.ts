import { queryOptions } from '@tanstack/react-query';
import { resource, type components } from '@/api';
import { actOnOrder } from '@/features/orders/queries';
import { inTimes, type TableSearch } from '@/ui/table';
import { arrivedLines, type Arrival } from './receipt';

export type Return = components['schemas']['Return'];
export type ReturnStatus = components['schemas']['ReturnStatus'];
export type ReturnEvent = components['schemas']['ReturnEvent'];
export type ReturnAction = Return['allowedTransitions'][number];

export interface ReturnSearch extends TableSearch {
  status?: ReturnStatus;
  orderId?: number;
  userId?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

const returns = resource('/api/v1/returns');
export const { one: oneReturn, history: returnHistory, comments: returnComments } = returns;

/** One page of returns. */
export const readReturns = (search: ReturnSearch, signal?: AbortSignal) => returns.list(inTimes(search), signal);

/** The maximum number of an order's returns displayed with it. */
const maxReturns = 200;

/** The returns of an order, newest first. */
export const returnsOf = (orderId: number) =>
  queryOptions({
    queryKey: ['returns', 'list', 'of', orderId],
    queryFn: ({ signal }) => returns.list({ orderId, limit: maxReturns }, signal),
  });

/** Requests the return of shipped units of an order. */
export const requestReturn = (orderId: number, body: components['schemas']['ReturnRequest'], key: string) => actOnOrder(orderId, 'returns', { body, key });

/** The inputs of all transitions; a transition uses one of them. */
export interface StepInput {
  reason: string;
  exchangeOrderId: number | null;
  lines: Arrival[];
}

const members = {
  receive: ({ lines }: StepInput) => ({ lines: arrivedLines(lines) }),
  close: ({ exchangeOrderId }: StepInput) => (exchangeOrderId === null ? {} : { exchangeOrderId }),
  reject: ({ reason }: StepInput) => ({ reason: reason.trim() }),
};

/** Performs a transition, guarded by the ETag. */
export const takeStep = (id: number, etag: string, action: ReturnAction, step: StepInput, key: string) =>
  returns.act(id, action, { body: members[action](step), etag, key });

export const comment = (id: number, text: string, key: string) => returns.act(id, 'comments', { body: { text }, key });

/** Requests the refund of the goods. Without an amount, the service calculates it. */
export const refundReturn = (id: number, amount: number | null, key: string) => returns.act(id, 'refund', { body: amount === null ? {} : { amount }, key });
