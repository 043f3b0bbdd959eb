import { Text } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { ShownOnce } from '../ShownOnce';
import { userMessages } from './messages';
import type { InvitedUser } from './queries';
import { useEnded } from './useEnded';

/** The address at which the invited user chooses a password, displayed only once. */
export function InvitationLink({ user, onStored }: { user: InvitedUser; onStored: () => void }) {
  const t = useText(userMessages);
  const ended = useEnded()(user);
  const { username: name, invitation } = user;
  const { dateTime } = useFormat();
  if (invitation === undefined) return null;
  const words = {
    title: t('invitationTitle', { name }),
    warning: t('invitationWarning'),
    hint: t('invitationHint', { name }),
    secret: t('invitationAddress'),
    copy: t('copyAddress'),
    copied: t('copied'),
    stored: t('passedOn'),
  };
  return (
    <ShownOnce words={words} lines={[`${window.location.origin}${invitation.path}`]} onStored={onStored}>
      <Text c="dimmed">{t('invitationUntil', { when: dateTime(invitation.expiresTime) })}</Text>
      {ended !== undefined && <Text c="dimmed">{ended}</Text>}
    </ShownOnce>
  );
}
