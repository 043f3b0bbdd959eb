import { queryOptions } from '@tanstack/react-query';
import { readStored, writeStored } from '@/browser/storage';
import { api, data } from './client';
import type { components } from './schema';

export type Menu = components['schemas']['Menu'];

const storedAs = (owner: string): string => `interlock.navigation.${owner}`;

/**
 * The menus of a user's navigation. This browser caches them, so that the next page load starts
 * with the last known menus and nothing moves under the pointer.
 */
export const navigation = (owner: string) =>
  queryOptions({
    queryKey: ['navigation', 'list', owner],
    queryFn: async ({ signal }): Promise<Menu[]> => {
      const { items } = await data(api.GET('/api/v1/menus', { signal }));
      writeStored(storedAs(owner), JSON.stringify(items));
      return items;
    },
    initialData: () => cached(owner),
    initialDataUpdatedAt: 0,
  });

/** Returns the cached menus; undefined if there are none or they are malformed. */
function cached(owner: string): Menu[] | undefined {
  try {
    const menus = JSON.parse(readStored(storedAs(owner)) ?? 'null') as unknown;
    return Array.isArray(menus) && menus.every(isMenu) ? menus : undefined;
  } catch {
    return undefined;
  }
}

function isMenu(value: unknown): value is Menu {
  const { id, path, title, permission } = (value ?? {}) as Partial<Record<keyof Menu, unknown>>;
  return typeof id === 'number' && [path, title, permission].every((text) => typeof text === 'string');
}
