import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip, useNow } from '@/ui';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';
import { stateOf, type CampaignState } from './state';

const tones: Readonly<Record<CampaignState, Tone>> = { upcoming: 'info', running: 'ok', exhausted: 'warn', over: 'neutral' };

/** The state of a campaign by the current time and the remaining coupons. */
export function CampaignStateChip({ campaign }: { campaign: Campaign }) {
  const t = useText(campaignMessages);
  const state = stateOf(campaign, useNow());
  return <StatusChip tone={tones[state]}>{t(state)}</StatusChip>;
}
