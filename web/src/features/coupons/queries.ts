import { queryOptions } from '@tanstack/react-query';
import { resource, type components } from '@/api';
import { readCampaigns } from '@/features/campaigns/queries';
import type { TableSearch } from '@/ui/table';

export type Coupon = components['schemas']['Coupon'];
export type CouponStatus = components['schemas']['CouponStatus'];
export type CouponAction = Coupon['allowedTransitions'][number];

/** The options of the expiry filter, in days. */
export const expiries = ['1', '7', '30'] as const;

export interface CouponSearch extends TableSearch {
  campaignId?: number;
  userId?: string;
  status?: CouponStatus;
  /** Only coupons that expire within this number of days. */
  expiresIn?: (typeof expiries)[number];
}

const maxCampaigns = 200;
const day = 86_400_000;

const coupons = resource('/api/v1/coupons');
export const { read: readCoupon, one: oneCoupon, history: couponHistory, part: readCouponPart } = coupons;

export function readCoupons({ expiresIn, ...search }: CouponSearch, signal?: AbortSignal) {
  const expiresBy = expiresIn === undefined ? undefined : new Date(Date.now() + Number(expiresIn) * day).toISOString();
  return coupons.list({ ...search, expiresBy }, signal);
}

/** The latest campaigns, for their names. */
export const campaignNames = queryOptions({
  queryKey: ['coupon-campaigns', 'list', 'names'],
  queryFn: ({ signal }) => readCampaigns({ limit: maxCampaigns }, signal),
});

interface Redemption {
  userId: string;
  orderId: number | null;
}

export const redeem = (code: string, body: Redemption, key: string) => coupons.act(code, 'redeem', { body, key });

export const voidCoupon = (code: string, reason: string, key: string) => coupons.act(code, 'void', { body: { reason }, key });
