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

/** Moves a menu, guarded by its ETag. A concurrent edit of the menu does not conflict with the move, a concurrent move does. */
export const moveMenu = (id: number, body: MenuPlace, etag: string, key: string) => menus.act(id, 'move', { body, etag, key, query: { merge: 'disjoint' } });
