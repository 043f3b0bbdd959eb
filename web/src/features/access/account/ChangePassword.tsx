import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, useUser } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { PasswordField } from '../PasswordField';
import { EndTokens } from '../users/EndTokens';
import { passwordFault } from '../users/fields';
import { userMessages } from '../users/messages';
import { NewPassword } from '../users/NewPassword';
import { accountMessages } from './messages';
import { changePassword, myAccount, type Me } from './queries';

type Passwords = Record<'current' | 'next' | 'repeated', string>;

/** The members of the request, by input. */
const places = { current: ['currentPassword'], next: ['newPassword'], repeated: [] } as const;
const inputs = ['current', 'next', 'repeated'] as const;

/**
 * The dialog that changes the password of the current user. The passwords are never stored in the
 * browser; the draft only contains the choice to revoke tokens. A retry after a successful change
 * is rejected, because the current password differs.
 */
export function ChangePassword({ onClose }: { onClose: () => void }) {
  const t = useText(accountMessages);
  const user = useText(userMessages);
  const { duration } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { id } = useUser();
  const [passwords, setPasswords] = useState<Passwords>({ current: '', next: '', repeated: '' });
  const [isTried, setTried] = useState(false);
  const { current, next, repeated } = passwords;
  const isComplete = current !== '' && passwordFault(next) === undefined && next !== current && next === repeated;
  const keyed = useKeyedForm<{ endTokens: boolean }, Me>({
    scope: 'me/password',
    title: t('changeTitle'),
    topics: ['users', 'tokens'],
    open: () => ({ endTokens: false }),
    isComplete: () => isComplete,
    send: ({ endTokens }) => changePassword({ currentPassword: current, newPassword: next, endTokens }),
    onDone: (saved, { endTokens }) => {
      queries.setQueryData(myAccount(id).queryKey, saved);
      toasts.done(t(endTokens ? 'doneTokens' : 'done'));
      onClose();
    },
  });
  const { form, change, error, isFixed, outcome } = keyed;
  const strict = keyed.strict || isTried;
  const isRejectedAt = (place: string, code: string) =>
    isProblem(error, 'validation_failed') && error.fields.some((field) => field.pointer === place && field.code === code);
  const { errorOf, hasInput } = useFaults(
    { strict, error },
    inputs,
    (input) => {
      switch (input) {
        case 'current':
          return current === '' ? t('currentNeeded') : isRejectedAt('/currentPassword', 'wrong') && t('currentWrong');
        case 'next':
          return next !== '' && next === current && t('same');
        case 'repeated':
          return next !== repeated && t('repeatWrong');
      }
    },
    (input) => places[input],
  );
  const submit = () => {
    setTried(true);
    if (isComplete || !isFixed) keyed.submit();
  };
  const type = (part: Partial<Passwords>) => {
    setPasswords({ ...passwords, ...part });
    // The rejection belongs to the earlier input, so it is cleared.
    if (!isFixed) keyed.change({});
  };
  const isSending = outcome === 'sending';
  const explain = (problem: Error) => {
    if (isProblem(problem, 'too_many_attempts')) {
      const { retryAfter } = problem;
      return (
        <Banner tone="bad" title={t('tooMany')}>
          {retryAfter === undefined ? t('tooManyLater') : t('tooManyHint', { wait: duration(retryAfter) })}
        </Banner>
      );
    }
    if (isRejectedAt('/currentPassword', 'wrong') && isProblem(problem) && problem.isInDoubt) {
      return (
        <Banner tone="warn" title={t('maybeDone')}>
          {t('maybeDoneHint')}
        </Banner>
      );
    }
    return undefined;
  };
  return (
    <FormDialog
      form={{ ...keyed, submit }}
      title={t('changeTitle')}
      confirm={t('change')}
      size="md"
      hasInput={hasInput}
      renderRejection={explain}
      unknown={{ hint: t('unknown') }}
      onClose={onClose}
    >
      <Text>{t('changeHint')}</Text>
      <PasswordField
        label={t('current')}
        kind="current-password"
        disabled={isSending}
        value={current}
        error={errorOf('current')}
        autoFocus
        onChange={(text) => type({ current: text })}
      />
      <NewPassword
        label={user('newPassword')}
        value={next}
        strict={strict}
        rejected={errorOf('next')}
        disabled={isSending}
        onChange={(text) => type({ next: text })}
      />
      <PasswordField
        label={t('repeat')}
        kind="new-password"
        disabled={isSending}
        value={repeated}
        error={errorOf('repeated')}
        onChange={(text) => type({ repeated: text })}
      />
      <EndTokens label={t('endTokens')} checked={form.endTokens} disabled={isFixed} onChange={(endTokens) => change({ endTokens })} />
    </FormDialog>
  );
}
