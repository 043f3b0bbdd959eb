import { resource, type components } from '@/api';
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
export const { one: oneReturn, history: returnHistory } = returns;

/** One page of returns. */
export const readReturns = (search: ReturnSearch, signal?: AbortSignal) => returns.list(inTimes(search), signal);

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

/** Requests the refund of the goods. Without an amount, the service calculates it. */
export const refundReturn = (id: number, amount: number | null, key: string) => returns.act(id, 'refund', { body: amount === null ? {} : { amount }, key });
