import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent } from '@/api';
import type { NewOrder } from './placement';

const offered = 8;

/** Items for sale whose sku or name begins with what was typed. */
export function itemsLike(text: string) {
  return queryOptions({
    queryKey: ['items', 'list', 'for sale', text],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/items', { params: { query: { q: text, status: 'active', limit: offered } }, signal }))).items,
  });
}

/** An item as the catalog has it now. */
export function catalogItem(sku: string) {
  return queryOptions({
    queryKey: ['items', 'one', sku],
    queryFn: ({ signal }) => data(api.GET('/api/v1/items/{sku}', { params: { path: { sku } }, signal })),
  });
}

export const placeOrder = (order: NewOrder, key: string) => data(api.POST('/api/v1/orders', { body: order, headers: idempotent(key) }));
