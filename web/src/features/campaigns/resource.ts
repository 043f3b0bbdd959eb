import type { Descriptor } from '../descriptor';

export const campaignResource = {
  noun: 'coupon_campaign',
  one: { en: 'a campaign', zh: '优惠券活动' },
  found: {
    'coupon-campaign': { label: { en: 'Campaigns', zh: '券活动' }, isNamed: true },
  },
  deleted: { folder: 'coupon-campaigns', label: { en: 'Coupon campaign', zh: '优惠券活动' }, write: 'coupons:write', name: 'free' },
} as const satisfies Descriptor;
