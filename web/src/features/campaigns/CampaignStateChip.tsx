import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip, useNow } from '@/ui';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';
import { stateOf, type CampaignState } from './state';

const tones: Readonly<Record<CampaignState, Tone>> = { upcoming: 'info', running: 'ok', exhausted: 'warn', over: 'neutral' };

/** The current state of a campaign, by the clock and by its remaining coupons. */
export function CampaignStateChip({ campaign }: { campaign: Campaign }) {
  const t = useText(campaignMessages);
  const state = stateOf(campaign, useNow());
  return <StatusChip tone={tones[state]}>{t(state)}</StatusChip>;
}
