import { useText } from '@/i18n';
import { StatusChip, useNow } from '@/ui';
import { userMessages } from './messages';
import type { User } from './queries';

/** The sign-in state of a user. */
export function stateOf({ disabled, invitationExpiresTime: until }: Pick<User, 'disabled' | 'invitationExpiresTime'>, now: number) {
  if (disabled) return 'disabled';
  if (until === null) return 'active';
  return Date.parse(until) > now ? 'invited' : 'invitationExpired';
}

const tones = { active: 'ok', disabled: 'bad', invited: 'accent', invitationExpired: 'warn' } as const;

/** Shows whether a user can sign in. */
export function UserStateChip({ user }: { user: User }) {
  const t = useText(userMessages);
  const now = useNow();
  const state = stateOf(user, now);
  return <StatusChip tone={tones[state]}>{t(state)}</StatusChip>;
}
