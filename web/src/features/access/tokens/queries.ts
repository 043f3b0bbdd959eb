import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Token = components['schemas']['Token'];
/** The reply to the creation of a token: with its secret, or with `secretShownOnce` in a replay. */
export type CreatedToken = components['schemas']['CreatedToken'];
export type NewToken = components['schemas']['TokenCreate'];
type TokenQuery = NonNullable<operations['listTokens']['parameters']['query']>;

export interface TokenSearch extends TableSearch {
  /** The user that the tokens act as. */
  userId?: number;
  /** The open token. */
  open?: number;
}

export function readTokens(search: TokenSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/tokens', { params: { query: search as TokenQuery }, signal }));
}

export function oneToken(id: number) {
  return queryOptions({
    queryKey: ['tokens', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/tokens/{id}', { params: { path: { id } }, signal })),
  });
}

export function createToken(token: NewToken, key: string) {
  return data(api.POST('/api/v1/tokens', { body: token, headers: idempotent(key) }));
}

export function revokeToken(id: number, etag: string) {
  return api.DELETE('/api/v1/tokens/{id}', { params: { path: { id }, header: { 'If-Match': etag } } });
}
