import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, idempotent, pages, type components, type operations } from '@/api';
import type { Edit } from '@/merge';
import type { TableSearch } from '@/ui/table';

export type Item = components['schemas']['Item'];
export type ItemStatus = components['schemas']['ItemStatus'];
export type NewItem = components['schemas']['ItemCreate'];
type ItemQuery = NonNullable<operations['listItems']['parameters']['query']>;

export interface ItemSearch extends TableSearch {
  status?: ItemStatus;
}

const historyPage = 50;

export function readItems(search: ItemSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/items', { params: { query: search as ItemQuery }, signal }));
}

export function readItem(sku: string, signal?: AbortSignal) {
  return data(api.GET('/api/v1/items/{sku}', { params: { path: { sku } }, signal }));
}

export function oneItem(sku: string) {
  return queryOptions({ queryKey: ['items', 'one', sku], queryFn: ({ signal }) => readItem(sku, signal) });
}

export const itemHistory = (sku: string) =>
  pages(['items', 'one', sku, 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/items/{sku}/history', { params: { path: { sku }, query: { limit: historyPage, cursor } }, signal })),
  );

export function createItem(body: NewItem, key: string) {
  return data(api.POST('/api/v1/items', { body, headers: idempotent(key) }));
}

/** Edits an item at a given ETag. With `disjoint` the service merges other users' edits of other fields. */
export function editItem(sku: string, edit: Edit, etag: string, key: string, merge?: 'disjoint') {
  return data(
    api.PATCH('/api/v1/items/{sku}', {
      params: { path: { sku }, header: { 'If-Match': etag }, query: { merge } },
      ...asEdit(edit, key),
    }),
  );
}

export function deleteItem(sku: string, etag: string) {
  return api.DELETE('/api/v1/items/{sku}', { params: { path: { sku }, header: { 'If-Match': etag } } });
}

const offered = 8;

/** Active items whose SKU or name starts with a text. */
export function itemsForSale(text: string) {
  return queryOptions({
    queryKey: ['items', 'list', 'for sale', text],
    queryFn: async ({ signal }) => {
      const query = { ...(text === '' ? {} : { q: text }), status: 'active' as const, limit: offered };
      return (await data(api.GET('/api/v1/items', { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}
