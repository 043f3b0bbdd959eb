import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, idempotent, pages, type components, type operations } from '@/api';
import type { Edit } from '@/merge';
import type { TableSearch } from '@/ui/table';

export type Role = components['schemas']['Role'];
export type RoleTerms = components['schemas']['RoleCreate'];
export type RoleSearch = TableSearch;
type RoleQuery = NonNullable<operations['listRoles']['parameters']['query']>;

const historyPage = 50;

export function readRoles(search: RoleSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/roles', { params: { query: search as RoleQuery }, signal }));
}

export function oneRole(id: number) {
  return queryOptions({
    queryKey: ['roles', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/roles/{id}', { params: { path: { id } }, signal })),
  });
}

export const roleHistory = (id: number) =>
  pages(['roles', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/roles/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

export function createRole(terms: RoleTerms, key: string) {
  return data(api.POST('/api/v1/roles', { body: terms, headers: idempotent(key) }));
}

/** Edits a role at a given ETag. */
export function editRole(id: number, edit: Edit, etag: string, key: string) {
  return data(
    api.PATCH('/api/v1/roles/{id}', {
      params: { path: { id }, header: { 'If-Match': etag } },
      ...asEdit(edit, key),
    }),
  );
}

export function deleteRole(id: number, etag: string) {
  return api.DELETE('/api/v1/roles/{id}', { params: { path: { id }, header: { 'If-Match': etag } } });
}
