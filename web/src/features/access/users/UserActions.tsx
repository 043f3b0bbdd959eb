import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, useMay, useUser, versionConflict } from '@/api';
import { useFormat, useLanguage, useText } from '@/i18n';
import { ActButton, useConfirm, useKeyedAction, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { accessMessages } from '../messages';
import { userMessages } from './messages';
import { InvitationLink } from './InvitationLink';
import { disableUser, enableUser, inviteUser, oneUser, resetFactors, type InvitedUser, type User } from './queries';
import { ResetPassword } from './ResetPassword';

/** Resets a user's password; disables and enables the user. */
export function UserActions({ user }: { user: User }) {
  const t = useText(userMessages);
  const mayWrite = useMay()('users:write');
  const [resetting, { open, close }] = useDisclosure();
  const access = useAccess(user);
  const me = useUser().id;
  if (!mayWrite) return null;
  return (
    <>
      <ActButton onClick={open}>{t('reset')}</ActButton>
      {!user.disabled && user.id !== me && <Invite user={user} />}
      {user.secondFactor && user.id !== me && <ResetFactors user={user} />}
      <ActButton
        color={user.disabled ? undefined : 'bad'}
        variant={user.disabled ? 'default' : 'subtle'}
        loading={access.isSending}
        disabled={access.isUnknown}
        onClick={() => void access.ask()}
      >
        {t(user.disabled ? 'enable' : 'disable')}
      </ActButton>
      {resetting && <ResetPassword user={user} onClose={close} />}
    </>
  );
}

/** Invites a user to choose a new password. */
function Invite({ user: { id, username: name, invitationExpiresTime, etag } }: { user: User }) {
  const t = useText(userMessages);
  const confirm = useConfirm();
  const queries = useQueryClient();
  const explain = useRejection(name);
  const [invited, setInvited] = useState<InvitedUser>();
  const label = t(invitationExpiresTime === null ? 'invite' : 'inviteAgain');
  const invite = useKeyedAction<{ etag: string }, InvitedUser>({
    scope: `users/${id}/invite`,
    title: `${t('invite')} · ${name}`,
    topics: ['users'],
    send: ({ etag: guard }, key) => inviteUser(id, guard, key),
    onDone: (saved) => {
      setInvited(saved);
      void queries.invalidateQueries({ queryKey: oneUser(id).queryKey });
    },
    onRejected: explain,
  });
  const ask = async () => {
    const body = t(invitationExpiresTime === null ? 'inviteBody' : 'inviteAgainBody');
    if ((await confirm({ title: t('inviteQuestion', { name }), body, confirm: label })) !== undefined) invite.run({ etag });
  };
  const again = (saved: InvitedUser) => (
    <Button
      variant="filled"
      onClick={() => {
        setInvited(undefined);
        invite.run({ etag: saved.etag });
      }}
      data-autofocus
    >
      {t('inviteAgain')}
    </Button>
  );
  return (
    <>
      <ActButton loading={invite.outcome === 'sending'} disabled={invite.outcome === 'unknown'} onClick={() => void ask()}>
        {label}
      </ActButton>
      {invited !== undefined && <InvitationLink user={invited} onStored={() => setInvited(undefined)} again={again(invited)} />}
    </>
  );
}

/** Removes the second factors of a user who has lost them. */
function ResetFactors({ user: { id, username: name, etag } }: { user: User }) {
  const t = useText(userMessages);
  const confirm = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const explain = useRejection(name);
  const reset = useKeyedAction<{ etag: string }, User>({
    scope: `users/${id}/reset-factors`,
    title: `${t('resetFactors')} · ${name}`,
    topics: ['users'],
    send: ({ etag: guard }, key) => resetFactors(id, guard, key),
    onDone: (saved) => {
      queries.setQueryData(oneUser(id).queryKey, saved);
      toasts.done(t('resetFactorsDone', { name }));
    },
    onRejected: explain,
  });
  const ask = async () => {
    const question = { title: t('resetFactorsQuestion', { name }), body: t('resetFactorsBody'), confirm: t('resetFactors'), tone: 'bad' as const };
    if ((await confirm(question)) !== undefined) reset.run({ etag });
  };
  return (
    <ActButton loading={reset.outcome === 'sending'} disabled={reset.outcome === 'unknown'} onClick={() => void ask()}>
      {t('resetFactors')}
    </ActButton>
  );
}

/** Explains why the service rejected a change of a user. */
function useRejection(name: string): (error: Error) => Promise<void> {
  const access = useText(accessMessages);
  const ui = useText(uiMessages);
  const { language } = useLanguage();
  const confirm = useConfirm();
  const toasts = useToasts();
  return async (error) => {
    const conflict = versionConflict<User>(error);
    if (isProblem(error, 'in_use')) await confirm({ title: access('lastManager'), body: access('lastManagerHint'), confirm: ui('understood') });
    // The service names the permission, in English.
    else if (isProblem(error, 'forbidden'))
      await confirm({ title: access('cannotGrant'), body: language === 'en' ? error.message : undefined, confirm: ui('understood') });
    else if (conflict !== undefined) toasts.info(access('changedMeanwhile', { who: conflict.updatedBy.name, name }));
    else toasts.failed(error);
  };
}

/** Disables or enables the user after a confirmation; both can be undone. */
function useAccess(user: User): { ask: () => Promise<void>; isSending: boolean; isUnknown: boolean } {
  const t = useText(userMessages);
  const { list } = useFormat();
  const confirm = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const me = useUser().id;
  const { id, username: name, disabled, roles, etag } = user;
  const keep = (saved: User) => queries.setQueryData(oneUser(id).queryKey, saved);
  const explain = useRejection(name);
  const enable = useKeyedAction<{ etag: string; isUndo?: boolean }, User>({
    scope: `users/${id}/enable`,
    title: `${t('enable')} · ${name}`,
    topics: ['users'],
    send: ({ etag: guard }, key) => enableUser(id, guard, key),
    onDone: (saved, { isUndo }) => {
      keep(saved);
      toasts.done(t('enabledNow', { name }), isUndo === true ? undefined : () => disable.run({ isUndo: true }));
    },
    onRejected: explain,
  });
  const disable = useKeyedAction<{ isUndo?: boolean }, User>({
    scope: `users/${id}/disable`,
    title: `${t('disable')} · ${name}`,
    topics: ['users'],
    send: (_, key) => disableUser(id, key),
    onDone: (saved, { isUndo }) => {
      keep(saved);
      toasts.done(t('disabledNow', { name }), isUndo === true ? undefined : () => enable.run({ etag: saved.etag, isUndo: true }));
    },
    onRejected: explain,
  });
  const onDisable = async () => {
    const body = (
      <>
        {t('disableBody')}
        {id === me && (
          <>
            {' '}
            <strong>{t('disableYourself')}</strong>
          </>
        )}
      </>
    );
    if ((await confirm({ title: t('disableQuestion', { name }), body, confirm: t('disable'), tone: 'bad' })) !== undefined) disable.run({});
  };
  const onEnable = async () => {
    const body = t('enableBody', { roles: roles.length === 0 ? t('noRoles') : list(roles) });
    if ((await confirm({ title: t('enableQuestion', { name }), body, confirm: t('enable') })) !== undefined) enable.run({ etag });
  };
  return {
    ask: disabled ? onEnable : onDisable,
    isSending: [enable, disable].some(({ outcome }) => outcome === 'sending'),
    isUnknown: [enable, disable].some(({ outcome }) => outcome === 'unknown'),
  };
}
