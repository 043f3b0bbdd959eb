import { api, data } from '@/api';
import type { SearchProvider } from '@/ui';

const most = 6;
const longestName = 100;
const day = (time: string) => time.slice(0, 10);

/** Finds campaigns by name. */
export const search: SearchProvider = {
  label: { en: 'Coupon campaigns', zh: '优惠券活动' },
  permission: 'coupons:read',
  find: async (query, signal) => {
    if (query.length > longestName) return [];
    const { items } = await data(api.GET('/api/v1/coupon-campaigns', { params: { query: { q: query, limit: most } }, signal }));
    return items.map(({ id, name, validFrom, validTo }) => ({
      id: `coupon-campaign ${id}`,
      title: name,
      hint: `${day(validFrom)} – ${day(validTo)}`,
      to: `/coupon-campaigns/${id}`,
    }));
  },
};
