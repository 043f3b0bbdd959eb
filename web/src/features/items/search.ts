import { api, data } from '@/api';
import type { SearchProvider } from '@/ui';

const most = 6;

/** Finds items by sku and name. */
export const search: SearchProvider = {
  label: { en: 'Items', zh: '商品' },
  permission: 'items:read',
  find: async (query, signal) => {
    const { items } = await data(api.GET('/api/v1/items', { params: { query: { q: query, limit: most } }, signal }));
    return items.map(({ sku, name }) => ({ id: `item ${sku}`, title: sku, hint: name, to: `/items/${encodeURIComponent(sku)}`, mono: true }));
  },
};
