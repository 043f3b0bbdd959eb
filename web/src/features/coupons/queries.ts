import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, pages, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Coupon = components['schemas']['Coupon'];
export type CouponStatus = components['schemas']['CouponStatus'];
export type CouponAction = Coupon['allowedTransitions'][number];
type CouponQuery = NonNullable<operations['listCoupons']['parameters']['query']>;

/** The options of the expiry filter, in days. */
export const expiries = ['1', '7', '30'] as const;

export interface CouponSearch extends TableSearch {
  campaignId?: number;
  userId?: string;
  status?: CouponStatus;
  /** Only coupons that expire within this number of days. */
  expiresIn?: (typeof expiries)[number];
}

const historyPage = 100;
const mostCampaigns = 200;
const day = 86_400_000;

export function readCoupons({ expiresIn, ...search }: CouponSearch, signal?: AbortSignal) {
  const expiresBy = expiresIn === undefined ? undefined : new Date(Date.now() + Number(expiresIn) * day).toISOString();
  return data(api.GET('/api/v1/coupons', { params: { query: { ...search, expiresBy } as CouponQuery }, signal }));
}

export function readCoupon(code: string, signal?: AbortSignal) {
  return data(api.GET('/api/v1/coupons/{code}', { params: { path: { code } }, signal }));
}

export function oneCoupon(code: string) {
  return queryOptions({ queryKey: ['coupons', 'one', code], queryFn: ({ signal }) => readCoupon(code, signal) });
}

/** A page of a coupon's history, newest first. */
export function readCouponHistory(code: string, cursor: string | undefined, signal?: AbortSignal) {
  return data(api.GET('/api/v1/coupons/{code}/history', { params: { path: { code }, query: { limit: historyPage, cursor } }, signal }));
}

export const couponHistory = (code: string) => pages(['coupons', 'one', code, 'history'], (cursor, signal) => readCouponHistory(code, cursor, signal));

/** The latest campaigns, for their names. */
export const campaignNames = queryOptions({
  queryKey: ['coupon-campaigns', 'list', 'names'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/coupon-campaigns', { params: { query: { limit: mostCampaigns } }, signal })),
});

interface Redemption {
  userId: string;
  orderId: number | null;
}

export function redeem(code: string, body: Redemption, key: string) {
  return data(api.POST('/api/v1/coupons/{code}/redeem', { params: { path: { code } }, body, headers: idempotent(key) }));
}

export function voidCoupon(code: string, reason: string, key: string) {
  return data(api.POST('/api/v1/coupons/{code}/void', { params: { path: { code } }, body: { reason }, headers: idempotent(key) }));
}
