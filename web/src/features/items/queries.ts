import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, type components, type operations } from '@/api';
import type { JsonObject } from '@/merge';
import type { TableSearch } from '@/ui/table';

export type Item = components['schemas']['Item'];
export type ItemStatus = components['schemas']['ItemStatus'];
type ItemQuery = NonNullable<operations['listItems']['parameters']['query']>;

export interface ItemSearch extends TableSearch {
  status?: ItemStatus;
}

const historyPage = 50;

export function readItems(search: ItemSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/items', { params: { query: search as ItemQuery }, signal }));
}

export function itemList(search: ItemSearch) {
  return queryOptions({
    queryKey: ['items', 'list', search],
    queryFn: ({ signal }) => readItems(search, signal),
    placeholderData: keepPreviousData,
  });
}

export function oneItem(sku: string) {
  return queryOptions({
    queryKey: ['items', 'one', sku],
    queryFn: ({ signal }) => data(api.GET('/api/v1/items/{sku}', { params: { path: { sku } }, signal })),
  });
}

export function itemHistory(sku: string) {
  return infiniteQueryOptions({
    queryKey: ['items', 'one', sku, 'history'],
    queryFn: ({ pageParam: cursor, signal }) =>
      data(api.GET('/api/v1/items/{sku}/history', { params: { path: { sku }, query: { limit: historyPage, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Edits an item as it was at a tag. With `disjoint` the service takes over others' edits of other fields. */
export function editItem(sku: string, patch: JsonObject, etag: string, merge?: 'disjoint') {
  return data(
    api.PATCH('/api/v1/items/{sku}', {
      params: { path: { sku }, header: { 'If-Match': etag }, query: { merge } },
      body: patch,
    }),
  );
}
