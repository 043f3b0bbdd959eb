import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, idempotent, pages, type components, type operations } from '@/api';
import type { Edit } from '@/merge';
import type { TableSearch } from '@/ui/table';

export type Campaign = components['schemas']['Campaign'];
export type CampaignTerms = components['schemas']['CampaignCreate'];
export type CampaignSearch = TableSearch;
export type LimitReached = components['schemas']['LimitReached'];
type CampaignQuery = NonNullable<operations['listCampaigns']['parameters']['query']>;

/** One coupon for each of these users, or a number of coupons without a user. */
export type IssueRequest = { userIds: string[] } | { count: number };

const historyPage = 50;

export function readCampaigns(search: CampaignSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/coupon-campaigns', { params: { query: search as CampaignQuery }, signal }));
}

export function oneCampaign(id: number) {
  return queryOptions({
    queryKey: ['coupon-campaigns', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/coupon-campaigns/{id}', { params: { path: { id } }, signal })),
  });
}

export const campaignHistory = (id: number) =>
  pages(['coupon-campaigns', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/coupon-campaigns/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

export function createCampaign(terms: CampaignTerms, key: string) {
  return data(api.POST('/api/v1/coupon-campaigns', { body: terms, headers: idempotent(key) }));
}

/** Edits a campaign at a given ETag. With `disjoint` the service merges other users' edits of other fields. */
export function editCampaign(id: number, edit: Edit, etag: string, key: string, merge?: 'disjoint') {
  return data(
    api.PATCH('/api/v1/coupon-campaigns/{id}', {
      params: { path: { id }, header: { 'If-Match': etag }, query: { merge } },
      ...asEdit(edit, key),
    }),
  );
}

export function deleteCampaign(id: number, etag: string) {
  return api.DELETE('/api/v1/coupon-campaigns/{id}', { params: { path: { id }, header: { 'If-Match': etag } } });
}

export function issueCoupons(id: number, request: IssueRequest, key: string) {
  return data(api.POST('/api/v1/coupon-campaigns/{id}/coupons', { params: { path: { id } }, body: request, headers: idempotent(key) }));
}
