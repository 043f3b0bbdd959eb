import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, resource, type components } from '@/api';
import { startOf, type TableSearch } from '@/ui/table';

export type WorkOrder = components['schemas']['WorkOrder'];
export type WorkOrderStatus = components['schemas']['WorkOrderStatus'];
export type WorkOrderPriority = components['schemas']['WorkOrderPriority'];
export type WorkOrderEvent = components['schemas']['WorkOrderEvent'];
export type NewWorkOrder = components['schemas']['WorkOrderCreate'];
export type WorkOrderAction = WorkOrder['allowedTransitions'][number];

export interface WorkOrderSearch extends TableSearch {
  status?: WorkOrderStatus;
  priority?: WorkOrderPriority;
  /** The current holder, or the holder at the resolution. */
  holderId?: number;
  /** The linked record, such as "orders/41". */
  link?: string;
  /** Only work orders that are due by this day, in the browser's zone. */
  due?: string;
}

/** The number of existing work orders displayed before a new one is created. */
const shownOfRecord = 5;

const workOrders = resource('/api/v1/work-orders');
export const { one: oneWorkOrder, history: workOrderHistory, comments: workOrderComments, create: openWorkOrder } = workOrders;

/** One page of work orders. */
export const readWorkOrders = ({ due, ...search }: WorkOrderSearch, signal?: AbortSignal) => workOrders.list({ ...search, dueBy: startOf(due, 1) }, signal);

/** The latest work orders of a record. */
export function workOrdersOf(link: string) {
  return queryOptions({
    queryKey: ['work-orders', 'list', 'of', link],
    queryFn: ({ signal }) => readWorkOrders({ link, limit: shownOfRecord }, signal),
  });
}

/** Claims the oldest of the most urgent work orders. Concurrent calls never claim the same one. */
export const claimNext = (key: string) => data(api.POST('/api/v1/work-orders/claim-next', { headers: idempotent(key) }));

export const comment = (id: number, text: string, key: string) => workOrders.act(id, 'comments', { body: { text }, key });

/**
 * Claims or releases a work order. The write is not guarded by the displayed version: the service
 * checks the holder, and a concurrent comment must not conflict.
 */
export const hold = (id: number, action: 'claim' | 'release', key: string) => workOrders.act(id, action, { body: {}, key });

/** The inputs of all steps; a step uses at most one of them. */
export interface StepInput {
  userId: number | null;
  resolution: string;
}

export const emptyStep: StepInput = { userId: null, resolution: '' };

/** The steps that are guarded by the displayed version. */
export type DialogAction = Exclude<WorkOrderAction, 'claim' | 'release'>;

const members = {
  assign: ({ userId }: StepInput) => ({ userId: userId ?? 0 }),
  resolve: ({ resolution }: StepInput) => ({ resolution: resolution.trim() }),
  reopen: () => ({}),
  close: () => ({}),
};

/** Performs a step, guarded by the ETag. */
export const takeStep = (id: number, etag: string, action: DialogAction, step: StepInput, key: string) =>
  workOrders.act(id, action, { body: members[action](step), etag, key });
