import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { SecretLost } from '../SecretLost';
import { ShownOnce } from '../ShownOnce';
import { userMessages } from './messages';
import type { InvitedUser } from './queries';
import { useEnded } from './useEnded';

interface Props {
  user: InvitedUser;
  onStored: () => void;
  /** The button that invites the user again or leads there. */
  again: ReactNode;
}

/** The address at which the invited user chooses a password, displayed only once. */
export function InvitationLink({ user, onStored, again }: Props) {
  const t = useText(userMessages);
  const ended = useEnded()(user);
  const { username: name, invitation } = user;
  const { dateTime } = useFormat();
  if (invitation === undefined) return null;
  if (invitation.path === undefined)
    return <SecretLost title={t('lostTitle', { name })} warning={t('lostWarning')} hint={t('lostHint')} action={again} onClose={onStored} />;
  const labels = {
    title: t('invitationTitle', { name }),
    warning: t('invitationWarning'),
    hint: t('invitationHint', { name }),
    secret: t('invitationAddress'),
    copy: t('copyAddress'),
    copied: t('copied'),
    stored: t('hasStored'),
  };
  return (
    <ShownOnce labels={labels} lines={[`${window.location.origin}${invitation.path}`]} onStored={onStored}>
      <Text c="dimmed">{t('invitationUntil', { when: dateTime(invitation.expiresTime) })}</Text>
      {ended !== undefined && <Text c="dimmed">{ended}</Text>}
    </ShownOnce>
  );
}
