import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, resource, type components } from '@/api';
import { randomId } from '@/browser/id';
import { createToken, revokeToken } from '@/features/access/tokens/queries';
import type { Edit } from '@/merge';
import type { TableSearch } from '@/ui/table';
import type { Range } from './feed';

export type Sale = components['schemas']['FlashSale'];
export type SaleStatus = components['schemas']['FlashSaleStatus'];
export type SaleAction = Sale['allowedTransitions'][number];
export type SaleTerms = components['schemas']['FlashSaleCreate'];
export type SaleStats = components['schemas']['FlashSaleStats'];

/** The numbers of a sale at a time of this browser's clock, in ms since 1970. */
export interface Sample {
  at: number;
  stats: SaleStats;
}

export type Reconciliation = components['schemas']['FlashSaleReconciliation'];
export type DeadLetter = components['schemas']['FlashSaleDead'];
export type Ticket = components['schemas']['FlashSaleTicket'];
export type DeadDecision = 'retry' | 'discard';

export interface SaleSearch extends TableSearch {
  status?: SaleStatus;
  sku?: string;
  /** Opens the dialog for a new sale. */
  create?: true;
}

const orders = resource('/api/v1/orders');
const sales = resource('/api/v1/flash-sales');
export const { list: readSales, one: oneSale, history: saleHistory, create: createSale, edit: editSale, remove: deleteSale } = sales;

export const readStats = (id: number, signal?: AbortSignal) => sales.part(id, 'stats', {}, signal);

/** The time of a sale's last order; null without orders. */
export function lastOrderTime(id: number) {
  return queryOptions({
    queryKey: ['orders', 'last', id],
    queryFn: async ({ signal }) => (await orders.list({ flashSaleId: id, sort: '-createdTime', limit: 1 }, signal)).items[0]?.createdTime ?? null,
  });
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

/** The earlier numbers of a sale, oldest first, with times of this browser's clock. They are fetched again once the sale is closed. */
export function saleSamples(id: number, range: Range, isClosed: boolean) {
  return queryOptions({
    queryKey: ['flash-sales', 'samples', id, range, isClosed],
    queryFn: async ({ signal }): Promise<Sample[]> => {
      const { time, items } = await sales.part(id, 'samples', { minutes: range }, signal);
      const ahead = Date.now() - Date.parse(time);
      return items.map((one) => ({ at: Date.parse(one.time) + ahead, stats: one.stats }));
    },
  });
}

export const readDead = (id: number, { cursor, limit }: TableSearch, signal?: AbortSignal) => sales.part(id, 'dead', { cursor, limit }, signal);

export function readTicket(id: number, ticket: string, signal?: AbortSignal) {
  return data(api.GET('/api/v1/flash-sales/{id}/tickets/{ticket}', { params: { path: { id, ticket } }, signal }));
}

export function oneTicket(id: number, ticket: string) {
  return queryOptions({ queryKey: ['flash-sales', 'one', String(id), 'tickets', ticket], queryFn: ({ signal }) => readTicket(id, ticket, signal) });
}

/** Schedules a change; the client throws the waiting approval as a proposal. */
export const scheduleSale = (id: number, edit: Edit, etag: string, effectiveTime: string, key: string) => sales.edit(id, edit, etag, key, { effectiveTime });

/** Changes the quantity by a difference; only unsold units can be removed. Edits of other fields do not conflict. */
export const resizeSale = (id: number, quantityDelta: number, etag: string, key: string) => sales.edit(id, { quantityDelta }, etag, key, { merge: 'disjoint' });

/**
 * Performs a transition. Opening a sale puts its terms into force, so it is guarded by the
 * displayed version. Every other transition is guarded only by the status: edits of the rate and
 * decisions about dead letters also create versions, and must not prevent a pause.
 */
export const takeStep = (id: number, etag: string, action: SaleAction, key: string) =>
  sales.act(id, action, { etag: action === 'open' ? etag : undefined, key });

/** The lifetime of the token of a test purchase, in ms. */
const tokenLife = 120_000;

/**
 * Buys one unit for a test customer. The service sells only to customers and to tokens that act for
 * one, so a token is created for the purchase and revoked after it.
 */
export async function buyOnce(id: number, key: string) {
  const name = `test-purchase-${randomId().slice(0, 8)}`;
  const expiresTime = new Date(Date.now() + tokenLife).toISOString();
  const token = await createToken({ name, scopes: ['customers:impersonate'], expiresTime }, randomId());
  try {
    const headers = { ...idempotent(key), Authorization: `Bearer ${token.token ?? ''}`, 'X-On-Behalf-Of': `test-${key.slice(0, 8)}` };
    return await data(api.POST('/api/v1/flash-sales/{id}/orders', { params: { path: { id } }, headers, body: { quantity: 1 } }));
  } finally {
    await revokeToken(token.id, token.etag);
  }
}

export const reconcile = (id: number, key: string) => sales.act(id, 'reconcile', { key });

export function decideDead(id: number, messageId: string, decision: DeadDecision, key: string) {
  const init = { params: { path: { id, messageId } }, headers: idempotent(key) };
  return decision === 'retry'
    ? api.POST('/api/v1/flash-sales/{id}/dead/{messageId}/retry', init)
    : api.POST('/api/v1/flash-sales/{id}/dead/{messageId}/discard', init);
}
