import { api, data, isProblem } from '@/api';
import type { SearchProvider } from '@/ui';

const shape = /^[A-Za-z0-9-]{6,64}$/;

/** Finds a coupon by its whole code. */
export const search: SearchProvider = {
  label: { en: 'Coupons', zh: '优惠券' },
  permission: 'coupons:read',
  find: async (query, signal) => {
    if (!shape.test(query)) return [];
    try {
      const { code, status } = await data(api.GET('/api/v1/coupons/{code}', { params: { path: { code: query } }, signal }));
      return [{ id: `coupon ${code}`, title: code, hint: status, to: `/coupons/${encodeURIComponent(code)}`, mono: true }];
    } catch (error) {
      if (isProblem(error) && error.status >= 400 && error.status < 500) return [];
      throw error;
    }
  },
};
