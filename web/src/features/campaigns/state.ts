import type { Campaign } from './queries';

export type CampaignState = 'upcoming' | 'running' | 'exhausted' | 'over';

/** The state of a campaign at a time in ms since 1970. After `validTo` it is `over`, regardless of the remaining coupons. */
export function stateOf({ validFrom, validTo, issued, total }: Pick<Campaign, 'validFrom' | 'validTo' | 'issued' | 'total'>, now: number): CampaignState {
  if (now >= Date.parse(validTo)) return 'over';
  if (issued >= total) return 'exhausted';
  return now < Date.parse(validFrom) ? 'upcoming' : 'running';
}
