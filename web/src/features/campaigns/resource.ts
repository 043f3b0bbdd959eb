import type { Descriptor } from '../descriptor';

export const campaignResource = {
  noun: 'coupon_campaign',
  folder: 'coupon-campaigns',
  label: { en: 'Coupon campaign', zh: '优惠券活动' },
  one: { en: 'a campaign', zh: '优惠券活动' },
  create: { label: { en: 'New campaign', zh: '新建活动' }, permission: 'coupons:write' },
  found: {
    'coupon-campaign': { label: { en: 'Campaigns', zh: '券活动' }, isNamed: true },
  },
  deleted: { name: 'free' },
} as const satisfies Descriptor;
