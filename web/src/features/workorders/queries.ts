import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, pages, type components, type operations } from '@/api';
import { startOf, type TableSearch } from '@/ui/table';

export type WorkOrder = components['schemas']['WorkOrder'];
export type WorkOrderStatus = components['schemas']['WorkOrderStatus'];
export type WorkOrderPriority = components['schemas']['WorkOrderPriority'];
export type WorkOrderEvent = components['schemas']['WorkOrderEvent'];
export type NewWorkOrder = components['schemas']['WorkOrderCreate'];
export type WorkOrderAction = WorkOrder['allowedTransitions'][number];
type ListQuery = NonNullable<operations['listWorkOrders']['parameters']['query']>;

export interface WorkOrderSearch extends TableSearch {
  status?: WorkOrderStatus;
  priority?: WorkOrderPriority;
  /** Who holds it, or held it when it was resolved. */
  holderId?: number;
  /** The record that it is about: "orders/41". */
  link?: string;
  /** Due on this day at the latest, where the browser is. */
  due?: string;
}

const historyPage = 50;
/** How many comments are read at a time. */
const commentsPage = 50;
/** How many that are about a record already are told before another one is opened. */
const shownOfRecord = 5;

/** One page of work orders. */
export function readWorkOrders({ due, ...search }: WorkOrderSearch, signal?: AbortSignal) {
  const query = { ...search, dueBy: startOf(due, 1) } as ListQuery;
  return data(api.GET('/api/v1/work-orders', { params: { query }, signal }));
}

/** The newest that are about a record. */
export function workOrdersOf(link: string) {
  return queryOptions({
    queryKey: ['work-orders', 'list', 'of', link],
    queryFn: ({ signal }) => readWorkOrders({ link, limit: shownOfRecord }, signal),
  });
}

export function oneWorkOrder(id: number) {
  return queryOptions({
    queryKey: ['work-orders', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/work-orders/{id}', { params: { path: { id } }, signal })),
  });
}

export const workOrderHistory = (id: number) =>
  pages(['work-orders', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/work-orders/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

/** What was said of one, newest first, as far back as one reads. */
export const workOrderComments = (id: number) =>
  pages(['work-orders', 'one', String(id), 'comments'], (cursor, signal) =>
    data(api.GET('/api/v1/work-orders/{id}/comments', { params: { path: { id }, query: { sort: '-id', limit: commentsPage, cursor } }, signal })),
  );

export const openWorkOrder = (body: NewWorkOrder, key: string) => data(api.POST('/api/v1/work-orders', { body, headers: idempotent(key) }));

/** Claims the one that waits longest among the most urgent; never the same for two who ask. */
export const claimNext = (key: string) => data(api.POST('/api/v1/work-orders/claim-next', { headers: idempotent(key) }));

export const comment = (id: number, text: string, key: string) =>
  data(api.POST('/api/v1/work-orders/{id}/comments', { params: { path: { id } }, body: { text }, headers: idempotent(key) }));

/**
 * Claims one, or gives it back to all. Neither stands on what was read of it: whether it is
 * still to be had is what the service decides, and a comment meanwhile is no reason against it.
 */
export function hold(id: number, action: 'claim' | 'release', key: string): Promise<WorkOrder> {
  const init = { params: { path: { id } }, headers: idempotent(key), body: {} };
  return data(action === 'claim' ? api.POST('/api/v1/work-orders/{id}/claim', init) : api.POST('/api/v1/work-orders/{id}/release', init));
}

/** What the other steps bring; each takes its own member. */
export interface StepInput {
  userId: number | null;
  resolution: string;
}

export const emptyStep: StepInput = { userId: null, resolution: '' };

/** The steps that stand on what was read. */
export type DialogAction = Exclude<WorkOrderAction, 'claim' | 'release'>;

/** Takes a step with a work order as it was at a tag. */
export function takeStep(id: number, etag: string, action: DialogAction, { userId, resolution }: StepInput, key: string): Promise<WorkOrder> {
  const init = { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) };
  switch (action) {
    case 'assign':
      return data(api.POST('/api/v1/work-orders/{id}/assign', { ...init, body: { userId: userId ?? 0 } }));
    case 'resolve':
      return data(api.POST('/api/v1/work-orders/{id}/resolve', { ...init, body: { resolution: resolution.trim() } }));
    case 'reopen':
      return data(api.POST('/api/v1/work-orders/{id}/reopen', { ...init, body: {} }));
    case 'close':
      return data(api.POST('/api/v1/work-orders/{id}/close', { ...init, body: {} }));
  }
}
