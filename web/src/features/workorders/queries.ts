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
  /** The current holder, or the holder at the resolution. */
  holderId?: number;
  /** The linked record: "orders/41". */
  link?: string;
  /** Due by this day, in the browser's zone. */
  due?: string;
}

const historyPage = 50;
/** The page size of comments. */
const commentsPage = 50;
/** The number of existing work orders displayed before a new one is created. */
const shownOfRecord = 5;

/** One page of work orders. */
export function readWorkOrders({ due, ...search }: WorkOrderSearch, signal?: AbortSignal) {
  const query = { ...search, dueBy: startOf(due, 1) } as ListQuery;
  return data(api.GET('/api/v1/work-orders', { params: { query }, signal }));
}

/** The latest work orders of a record. */
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

/** The comments, newest first, read page by page. */
export const workOrderComments = (id: number) =>
  pages(['work-orders', 'one', String(id), 'comments'], (cursor, signal) =>
    data(api.GET('/api/v1/work-orders/{id}/comments', { params: { path: { id }, query: { sort: '-id', limit: commentsPage, cursor } }, signal })),
  );

export const openWorkOrder = (body: NewWorkOrder, key: string) => data(api.POST('/api/v1/work-orders', { body, headers: idempotent(key) }));

/** Claims the oldest of the most urgent work orders. Concurrent calls never claim the same one. */
export const claimNext = (key: string) => data(api.POST('/api/v1/work-orders/claim-next', { headers: idempotent(key) }));

export const comment = (id: number, text: string, key: string) =>
  data(api.POST('/api/v1/work-orders/{id}/comments', { params: { path: { id } }, body: { text }, headers: idempotent(key) }));

/**
 * Claims a work order, or releases it. The write is not guarded by the displayed version: the
 * service checks the holder, and a concurrent comment is no conflict.
 */
export function hold(id: number, action: 'claim' | 'release', key: string): Promise<WorkOrder> {
  const init = { params: { path: { id } }, headers: idempotent(key), body: {} };
  return data(action === 'claim' ? api.POST('/api/v1/work-orders/{id}/claim', init) : api.POST('/api/v1/work-orders/{id}/release', init));
}

/** The inputs of all steps; each step uses one of them. */
export interface StepInput {
  userId: number | null;
  resolution: string;
}

export const emptyStep: StepInput = { userId: null, resolution: '' };

/** The steps that are guarded by the displayed version. */
export type DialogAction = Exclude<WorkOrderAction, 'claim' | 'release'>;

/** Performs a step at a given ETag. */
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
