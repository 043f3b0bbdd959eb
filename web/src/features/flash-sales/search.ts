import { api, data } from '@/api';
import type { SearchProvider } from '@/ui';

const most = 6;
const longestName = 100;

/** Finds flash sales by name. */
export const search: SearchProvider = {
  label: { en: 'Flash sales', zh: '限时抢购' },
  permission: 'flash-sales:read',
  find: async (query, signal) => {
    if (query.length > longestName) return [];
    const { items } = await data(api.GET('/api/v1/flash-sales', { params: { query: { q: query, limit: most } }, signal }));
    return items.map(({ id, name, sku }) => ({ id: `flash-sale ${id}`, title: name, hint: sku, to: `/flash-sales/${id}` }));
  },
};
