import { catalogue } from '@/i18n';
import type { Descriptor } from '../descriptor';
import type { CouponStatus } from './queries';

const statuses = catalogue<Record<CouponStatus, string>>(
  { unused: 'Unused', used: 'Used', void: 'Void', expired: 'Expired' },
  { unused: '未使用', used: '已使用', void: '已作废', expired: '已过期' },
);

export const couponResource = {
  noun: 'coupon',
  folder: 'coupons',
  label: { en: 'Coupon', zh: '优惠券' },
  one: { en: 'a coupon', zh: '优惠券' },
  timeline: 'coupon',
  found: {
    coupon: { label: { en: 'Coupons', zh: '优惠券' }, statuses },
  },
} as const satisfies Descriptor;
