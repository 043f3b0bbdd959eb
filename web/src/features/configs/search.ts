import { api, data } from '@/api';
import type { SearchProvider } from '@/ui';

const most = 6;

/** Finds configs by key, value and remark. */
export const search: SearchProvider = {
  label: { en: 'Configs', zh: '配置' },
  permission: 'configs:read',
  find: async (query, signal) => {
    const { items } = await data(api.GET('/api/v1/configs', { params: { query: { q: query, limit: most } }, signal }));
    return items.map(({ key, remark }) => ({
      id: `config ${key}`,
      title: key,
      hint: remark === '' ? undefined : remark,
      to: `/configs/${encodeURIComponent(key)}`,
      mono: true,
    }));
  },
};
