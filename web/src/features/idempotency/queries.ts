import { queryOptions } from '@tanstack/react-query';
import { api, data, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type IdempotencyKey = components['schemas']['IdempotencyKey'];
type KeyQuery = NonNullable<operations['listIdempotencyKeys']['parameters']['query']>;

export interface KeySearch extends TableSearch {
  /** The exact key, of any user. */
  key?: string;
  /** The HTTP status of the reply. */
  status?: number;
  /** The id of the open key. */
  open?: number;
}

/** One page of the stored idempotency keys. */
export function readKeys(search: KeySearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/idempotency-keys', { params: { query: search as KeyQuery }, signal }));
}

export function oneKey(id: number) {
  return queryOptions({
    queryKey: ['idempotency-keys', 'one', id],
    queryFn: ({ signal }) => data(api.GET('/api/v1/idempotency-keys/{id}', { params: { path: { id } }, signal })),
  });
}
