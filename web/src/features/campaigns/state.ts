import type { Campaign } from './queries';

export type CampaignState = 'upcoming' | 'running' | 'exhausted' | 'over';

/** Where a campaign stands at a time, in ms since 1970. What is over stays over, whatever is left of it. */
export function stateOf({ validFrom, validTo, issued, total }: Pick<Campaign, 'validFrom' | 'validTo' | 'issued' | 'total'>, now: number): CampaignState {
  if (now >= Date.parse(validTo)) return 'over';
  if (issued >= total) return 'exhausted';
  return now < Date.parse(validFrom) ? 'upcoming' : 'running';
}
