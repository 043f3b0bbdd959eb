import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, pages, type components, type operations } from '@/api';
import type { JsonObject } from '@/merge';
import type { TableSearch } from '@/ui/table';
import type { Range } from './feed';

export type Sale = components['schemas']['FlashSale'];
export type SaleStatus = components['schemas']['FlashSaleStatus'];
export type SaleAction = Sale['allowedTransitions'][number];
export type SaleTerms = components['schemas']['FlashSaleCreate'];
export type SaleStats = components['schemas']['FlashSaleStats'];

/** A sale's numbers and when they were true here, in ms since 1970. */
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

/** The newest numbers of a sale; the stream puts them here too. */
export function saleStats(id: number) {
  return queryOptions({
    queryKey: ['flash-sales', 'stats', id],
    queryFn: async ({ signal }): Promise<Sample> => {
      // What comes back was true at some time after it was asked for.
      const at = Date.now();
      return { at, stats: await readStats(id, signal) };
    },
  });
}

/** What the numbers of a sale were before somebody looked, oldest first, by the clock of this browser; asked for again once it is closed. */
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

/** Edits a sale as it was at a tag. */
export function editSale(id: number, patch: JsonObject, etag: string, key: string): Promise<Sale> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  // What is only proposed is thrown before, as a problem.
  return data(api.PATCH('/api/v1/flash-sales/{id}', { params, body: patch, headers: idempotent(key) })) as Promise<Sale>;
}

/** Asks for a change at a time; it is answered with what waits for that. */
export function scheduleSale(id: number, patch: JsonObject, etag: string, effectiveTime: string, key: string): Promise<Sale> {
  const params = { path: { id }, header: { 'If-Match': etag }, query: { effectiveTime } };
  // What is only proposed is thrown before, as a problem.
  return data(api.PATCH('/api/v1/flash-sales/{id}', { params, body: patch, headers: idempotent(key) })) as Promise<Sale>;
}

/** Adds units to a sale, or takes away what nobody has bought; edits of other fields do not stand in the way. */
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
 * Takes a step with a sale. Opening is guarded by the version that was looked at, for
 * it sells on its terms; the others by the status alone, as decisions on dead letters
 * and edits of the rate are versions too and no reason to refuse a pause.
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
