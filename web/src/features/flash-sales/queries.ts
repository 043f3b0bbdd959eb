import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, idempotent, pages, type components, type operations } from '@/api';
import type { Edit } from '@/merge';
import type { TableSearch } from '@/ui/table';
import type { Range } from './feed';

export type Sale = components['schemas']['FlashSale'];
export type SaleStatus = components['schemas']['FlashSaleStatus'];
export type SaleAction = Sale['allowedTransitions'][number];
export type SaleTerms = components['schemas']['FlashSaleCreate'];
export type SaleStats = components['schemas']['FlashSaleStats'];

/** A sale's numbers and their time by this browser's clock, in ms since 1970. */
export interface Sample {
  at: number;
  stats: SaleStats;
}

export type Reconciliation = components['schemas']['FlashSaleReconciliation'];
export type DeadLetter = components['schemas']['FlashSaleDead'];
export type Ticket = components['schemas']['FlashSaleTicket'];
export type DeadDecision = 'retry' | 'discard';
type SaleQuery = NonNullable<operations['listFlashSales']['parameters']['query']>;

export interface SaleSearch extends TableSearch {
  status?: SaleStatus;
  sku?: string;
}

const historyPage = 50;

export function readSales(search: SaleSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/flash-sales', { params: { query: search as SaleQuery }, signal }));
}

export function oneSale(id: number) {
  return queryOptions({
    queryKey: ['flash-sales', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/flash-sales/{id}', { params: { path: { id } }, signal })),
  });
}

export function readStats(id: number, signal?: AbortSignal): Promise<SaleStats> {
  return data(api.GET('/api/v1/flash-sales/{id}/stats', { params: { path: { id } }, signal }));
}

/** The latest numbers of a sale; live updates write them here too. */
export function saleStats(id: number) {
  return queryOptions({
    queryKey: ['flash-sales', 'stats', id],
    queryFn: async ({ signal }): Promise<Sample> => {
      // The reply describes a time after the request was sent.
      const at = Date.now();
      return { at, stats: await readStats(id, signal) };
    },
  });
}

/** The earlier numbers of a sale, oldest first, by this browser's clock. They are read again once the sale is closed. */
export function saleSamples(id: number, range: Range, isClosed: boolean) {
  return queryOptions({
    queryKey: ['flash-sales', 'samples', id, range, isClosed],
    queryFn: async ({ signal }): Promise<Sample[]> => {
      const { time, items } = await data(api.GET('/api/v1/flash-sales/{id}/samples', { params: { path: { id }, query: { minutes: range } }, signal }));
      const ahead = Date.now() - Date.parse(time);
      return items.map((one) => ({ at: Date.parse(one.time) + ahead, stats: one.stats }));
    },
  });
}

export const saleHistory = (id: number) =>
  pages(['flash-sales', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/flash-sales/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

export function readDead(id: number, search: TableSearch, signal?: AbortSignal) {
  const { cursor, limit } = search;
  return data(api.GET('/api/v1/flash-sales/{id}/dead', { params: { path: { id }, query: { cursor, limit } }, signal }));
}

export function readTicket(id: number, ticket: string, signal?: AbortSignal) {
  return data(api.GET('/api/v1/flash-sales/{id}/tickets/{ticket}', { params: { path: { id, ticket } }, signal }));
}

export function oneTicket(id: number, ticket: string) {
  return queryOptions({ queryKey: ['flash-sales', 'one', String(id), 'tickets', ticket], queryFn: ({ signal }) => readTicket(id, ticket, signal) });
}

export function createSale(terms: SaleTerms, key: string) {
  return data(api.POST('/api/v1/flash-sales', { body: terms, headers: idempotent(key) }));
}

/** Edits a sale at a given ETag. */
export function editSale(id: number, edit: Edit, etag: string, key: string): Promise<Sale> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  // If the change only became a proposal, the client throws a problem before this returns.
  return data(api.PATCH('/api/v1/flash-sales/{id}', { params, ...asEdit(edit, key) })) as Promise<Sale>;
}

/** Schedules a change; the client throws the waiting approval as a proposal. */
export function scheduleSale(id: number, edit: Edit, etag: string, effectiveTime: string, key: string): Promise<Sale> {
  const params = { path: { id }, header: { 'If-Match': etag }, query: { effectiveTime } };
  // If the change only became a proposal, the client throws a problem before this returns.
  return data(api.PATCH('/api/v1/flash-sales/{id}', { params, ...asEdit(edit, key) })) as Promise<Sale>;
}

/** Changes the quantity by a difference; only unsold units can be removed. Edits of other fields do not conflict. */
export function resizeSale(id: number, quantityDelta: number, etag: string, key: string): Promise<Sale> {
  return data(
    api.PATCH('/api/v1/flash-sales/{id}', {
      params: { path: { id }, header: { 'If-Match': etag }, query: { merge: 'disjoint' } },
      body: { quantityDelta },
      headers: idempotent(key),
    }),
  ) as Promise<Sale>;
}

export function deleteSale(id: number, etag: string) {
  return api.DELETE('/api/v1/flash-sales/{id}', { params: { path: { id }, header: { 'If-Match': etag } } });
}

/**
 * Performs a transition. Opening is guarded by the displayed version, since it puts the terms in
 * force. The other transitions are guarded by the status alone: decisions about dead letters and
 * edits of the rate also create versions, and they must not block a pause.
 */
export function takeStep(id: number, etag: string, action: SaleAction, key: string) {
  const init = { params: { path: { id } }, headers: idempotent(key) };
  switch (action) {
    case 'open':
      return data(api.POST('/api/v1/flash-sales/{id}/open', { ...init, params: { path: { id }, header: { 'If-Match': etag } } }));
    case 'pause':
      return data(api.POST('/api/v1/flash-sales/{id}/pause', init));
    case 'resume':
      return data(api.POST('/api/v1/flash-sales/{id}/resume', init));
    case 'close':
      return data(api.POST('/api/v1/flash-sales/{id}/close', init));
  }
}

export function reconcile(id: number, key: string): Promise<Reconciliation> {
  return data(api.POST('/api/v1/flash-sales/{id}/reconcile', { params: { path: { id } }, headers: idempotent(key) }));
}

export function decideDead(id: number, messageId: string, decision: DeadDecision, key: string) {
  const init = { params: { path: { id, messageId } }, headers: idempotent(key) };
  return decision === 'retry'
    ? api.POST('/api/v1/flash-sales/{id}/dead/{messageId}/retry', init)
    : api.POST('/api/v1/flash-sales/{id}/dead/{messageId}/discard', init);
}
