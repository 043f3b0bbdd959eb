import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, versionConflict, winnerOf } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, useNow, useFieldErrorText, useToasts } from '@/ui';
import { useAccessRejection } from '../useAccessRejection';
import { EndTokens } from './EndTokens';
import { passwordFault } from './fields';
import { userMessages } from './messages';
import { NewPassword } from './NewPassword';
import { oneUser, resetPassword, type ResetUser, type User } from './queries';
import { useEnded } from './useEnded';

/**
 * The dialog that sets the password of a user. It is guarded by the version of the user when it
 * opened: if another administrator has changed the user since, the dialog reports it.
 */
export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText(userMessages);
  const { relative } = useFormat();
  const now = useNow();
  const toasts = useToasts();
  const queries = useQueryClient();
  const rejection = useAccessRejection();
  const ended = useEnded();
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const [etag, setEtag] = useState(user.etag);
  const { id, username: name } = user;
  const isPasswordRight = passwordFault(password) === undefined;
  const keyed = useKeyedForm<{ etag: string; endTokens: boolean }, ResetUser>({
    scope: `users/${id}/password`,
    title: t('resetTitle', { name }),
    topics: ['users', 'tokens'],
    open: () => ({ etag: '', endTokens: false }),
    seal: (form) => ({ ...form, etag }),
    isComplete: () => isPasswordRight,
    send: ({ etag: guard, endTokens }, key) => resetPassword(id, { password, endTokens }, guard, key),
    onDone: (saved) => {
      queries.setQueryData(oneUser(id).queryKey, saved);
      toasts.done([t('resetDone', { name }), ended(saved)].join(' '));
      onClose();
    },
    // The next submit is guarded by the version that the conflict reported.
    onRejected: (error) => setEtag(versionConflict<User>(error)?.currentEtag ?? etag),
  });
  const { form, change, error, isFixed, outcome } = keyed;
  const rejected = useFieldErrorText(error);
  const submit = () => {
    setTried(true);
    if (isPasswordRight || !isFixed) keyed.submit();
  };
  const explain = (problem: Error) => {
    if (isProblem(problem, 'idempotency_key_reused'))
      return (
        <Banner tone="warn" title={t('otherPassword')}>
          {t('resetOtherPassword', { name })}
        </Banner>
      );
    const winner = winnerOf<User>(problem);
    if (winner === undefined) return rejection(problem);
    return (
      <Banner tone="warn" title={t('resetLost', { who: winner.by.name, name, when: relative(winner.time, now) })}>
        {t('resetLostHint')}
      </Banner>
    );
  };
  return (
    <FormDialog
      form={{ ...keyed, submit }}
      title={t('resetTitle', { name })}
      confirm={t('resetConfirm')}
      size="md"
      hasInput={(pointer) => pointer === '/password'}
      renderRejection={explain}
      unknown={{ hint: t('samePassword') }}
      onClose={onClose}
    >
      <Text>{t('resetHint')}</Text>
      <NewPassword
        label={t('newPassword')}
        value={password}
        strict={keyed.strict || isTried}
        rejected={rejected('/password')}
        disabled={outcome === 'sending'}
        autoFocus
        onChange={setPassword}
      />
      <EndTokens label={t('resetTokens')} checked={form.endTokens} disabled={isFixed} onChange={(endTokens) => change({ endTokens })} />
    </FormDialog>
  );
}
