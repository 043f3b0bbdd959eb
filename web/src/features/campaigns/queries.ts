import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Campaign = components['schemas']['Campaign'];
export type CampaignTerms = components['schemas']['CampaignCreate'];
export type CampaignSearch = TableSearch;
export type LimitReached = components['schemas']['LimitReached'];

/** Issues one coupon to each of these users, or a number of coupons without a user. */
export type IssueRequest = { userIds: string[] } | { count: number };

const campaigns = resource('/api/v1/coupon-campaigns');
export const {
  list: readCampaigns,
  one: oneCampaign,
  history: campaignHistory,
  create: createCampaign,
  edit: editCampaign,
  remove: deleteCampaign,
} = campaigns;

export const issueCoupons = (id: number, body: IssueRequest, key: string) => campaigns.act(id, 'coupons', { body, key });
