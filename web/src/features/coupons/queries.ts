import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, data, idempotent, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Coupon = components['schemas']['Coupon'];
export type CouponStatus = components['schemas']['CouponStatus'];
export type CouponAction = Coupon['allowedTransitions'][number];
type CouponQuery = NonNullable<operations['listCoupons']['parameters']['query']>;

export interface CouponSearch extends Omit<TableSearch, 'q'> {
  campaignId?: number;
  userId?: string;
  status?: CouponStatus;
}

const historyPage = 100;
const mostCampaigns = 200;

export function readCoupons(search: CouponSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/coupons', { params: { query: search as CouponQuery }, signal }));
}

export function couponList(search: CouponSearch) {
  return queryOptions({
    queryKey: ['coupons', 'list', search],
    queryFn: ({ signal }) => readCoupons(search, signal),
    placeholderData: keepPreviousData,
  });
}

export function oneCoupon(code: string) {
  return queryOptions({
    queryKey: ['coupons', 'one', code],
    queryFn: ({ signal }) => data(api.GET('/api/v1/coupons/{code}', { params: { path: { code } }, signal })),
  });
}

export function couponHistory(code: string) {
  return infiniteQueryOptions({
    queryKey: ['coupons', 'one', code, 'history'],
    queryFn: ({ pageParam: cursor, signal }) =>
      data(api.GET('/api/v1/coupons/{code}/history', { params: { path: { code }, query: { limit: historyPage, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** The newest campaigns, for their names. */
export const campaignNames = queryOptions({
  queryKey: ['coupon-campaigns', 'list', 'names'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/coupon-campaigns', { params: { query: { limit: mostCampaigns } }, signal })),
});

export interface Redemption {
  userId: string;
  orderId: number | null;
}

export function redeem(code: string, body: Redemption, key: string) {
  return answer(api.POST('/api/v1/coupons/{code}/redeem', { params: { path: { code } }, body, headers: idempotent(key) }));
}

export function voidCoupon(code: string, reason: string, key: string) {
  return answer(api.POST('/api/v1/coupons/{code}/void', { params: { path: { code } }, body: { reason }, headers: idempotent(key) }));
}
