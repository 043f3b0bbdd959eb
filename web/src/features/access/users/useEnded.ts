import { useText } from '@/i18n';
import { userMessages } from './messages';
import type { InvitedUser } from './queries';

type Ended = Pick<InvitedUser, 'endedSessions' | 'endedTokens' | 'endedFactors'>;

/** Describes the credentials that an invitation or a reset ended; undefined for a new user. */
export function useEnded(): (ended: Ended) => string | undefined {
  const t = useText(userMessages);
  return ({ endedSessions: sessions, endedTokens: tokens, endedFactors: factors }) =>
    sessions === undefined || tokens === undefined || factors === undefined ? undefined : t('ended', { sessions, tokens, factors });
}
