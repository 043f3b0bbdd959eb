import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, idempotent, pages, type components, type Menu } from '@/api';
import type { Edit } from '@/merge';

export type { Menu };
export type MenuTerms = components['schemas']['MenuCreate'];
export type MenuPlace = components['schemas']['MenuMove'];

const historyPage = 50;

/** Every menu, parents before their children. */
export const menuList = queryOptions({
  queryKey: ['menus', 'list'],
  queryFn: async ({ signal }): Promise<Menu[]> => (await data(api.GET('/api/v1/menus', { signal }))).items,
});

export function oneMenu(id: number) {
  return queryOptions({
    queryKey: ['menus', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/menus/{id}', { params: { path: { id } }, signal })),
  });
}

export const menuHistory = (id: number) =>
  pages(['menus', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/menus/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

export function createMenu(terms: MenuTerms, key: string) {
  return data(api.POST('/api/v1/menus', { body: terms, headers: idempotent(key) }));
}

/** Edits a menu at a given ETag. With `disjoint` the edit also succeeds if only other members changed since then. */
export function editMenu(id: number, edit: Edit, etag: string, key: string, merge?: 'disjoint') {
  return data(
    api.PATCH('/api/v1/menus/{id}', {
      params: { path: { id }, query: { merge }, header: { 'If-Match': etag } },
      ...asEdit(edit, key),
    }),
  );
}

/** Moves a menu at a given ETag. The move succeeds if another user has edited the menu, but not if another user has moved it. */
export function moveMenu(id: number, place: MenuPlace, etag: string, key: string) {
  return data(
    api.POST('/api/v1/menus/{id}/move', {
      params: { path: { id }, query: { merge: 'disjoint' }, header: { 'If-Match': etag } },
      body: place,
      headers: idempotent(key),
    }),
  );
}

export function deleteMenu(id: number, etag: string) {
  return api.DELETE('/api/v1/menus/{id}', { params: { path: { id }, header: { 'If-Match': etag } } });
}
