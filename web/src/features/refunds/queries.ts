import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, pages, type components, type operations } from '@/api';
import { startOf, type TableSearch } from '@/ui/table';

export type Refund = components['schemas']['RefundRead'];
export type RefundStatus = components['schemas']['RefundStatus'];
export type RefundEvent = components['schemas']['RefundEvent'];
export type RefundRequest = components['schemas']['RefundRequest'];
export type RefundAction = Refund['allowedTransitions'][number];
type ListQuery = NonNullable<operations['listRefunds']['parameters']['query']>;

export interface RefundSearch extends TableSearch {
  status?: RefundStatus;
  orderId?: number;
  userId?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

const historyPage = 50;
/** The maximum number of an order's refunds displayed with it. */
const mostOfOrder = 200;

/** One page of refunds. */
export function readRefunds({ from, to, ...search }: RefundSearch, signal?: AbortSignal) {
  const query = { ...search, from: startOf(from), to: startOf(to, 1) } as ListQuery;
  return data(api.GET('/api/v1/refunds', { params: { query }, signal }));
}

/** The refunds of an order, newest first. */
export function refundsOf(orderId: number) {
  return queryOptions({
    queryKey: ['refunds', 'list', 'of', orderId],
    queryFn: ({ signal }) => data(api.GET('/api/v1/refunds', { params: { query: { orderId, limit: mostOfOrder } }, signal })),
  });
}

export function oneRefund(id: number) {
  return queryOptions({
    queryKey: ['refunds', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/refunds/{id}', { params: { path: { id } }, signal })),
  });
}

export const refundHistory = (id: number) =>
  pages(['refunds', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/refunds/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

/** Requests a refund of an order. The service checks the maximum and calculates the value of lines. */
export const requestRefund = (orderId: number, body: RefundRequest, key: string) =>
  data(api.POST('/api/v1/orders/{id}/refunds', { params: { path: { id: orderId } }, body, headers: idempotent(key) }));

/** The inputs of all transitions; each transition uses one of them. */
export interface StepInput {
  reason: string;
  reference: string;
}

export const emptyStep: StepInput = { reason: '', reference: '' };

/** Performs a transition, guarded by the displayed version. If it needs votes, the client throws a proposal. */
export function takeStep(id: number, etag: string, action: RefundAction, step: StepInput, key: string): Promise<Refund> {
  const init = { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) };
  const body = { reason: step.reason.trim() };
  switch (action) {
    case 'approve':
      return data(api.POST('/api/v1/refunds/{id}/approve', { ...init, body: {} })) as Promise<Refund>;
    case 'reject':
      return data(api.POST('/api/v1/refunds/{id}/reject', { ...init, body }));
    case 'settle':
      return data(api.POST('/api/v1/refunds/{id}/settle', { ...init, body: { reference: step.reference.trim() } }));
    case 'fail':
      return data(api.POST('/api/v1/refunds/{id}/fail', { ...init, body }));
    case 'unknown':
      return data(api.POST('/api/v1/refunds/{id}/unknown', { ...init, body }));
  }
}
