import { queryOptions } from '@tanstack/react-query';
import { resource, type components, type Menu } from '@/api';

export type { Menu };
export type MenuTerms = components['schemas']['MenuCreate'];
export type MenuPlace = components['schemas']['MenuMove'];

const menus = resource('/api/v1/menus');
export const { one: oneMenu, history: menuHistory, create: createMenu, edit: editMenu, remove: deleteMenu } = menus;

/** Every menu, parents before their children. */
export const menuList = queryOptions({
  queryKey: ['menus', 'list'],
  queryFn: async ({ signal }): Promise<Menu[]> => (await menus.list({}, signal)).items,
});

/** Moves a menu at a given ETag. The move succeeds if another user has edited the menu, but not if another user has moved it. */
export const moveMenu = (id: number, body: MenuPlace, etag: string, key: string) => menus.act(id, 'move', { body, etag, key, query: { merge: 'disjoint' } });
