import { Radio, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, useFieldErrorText, useToasts } from '@/ui';
import { namesIn } from '../sets';
import { useAccessRejection } from '../useAccessRejection';
import { blankUser, isUsername, passwordFault, type UserFields } from './fields';
import { userMessages } from './messages';
import { NewPassword } from './NewPassword';
import { createUser, oneUser, type InvitedUser } from './queries';
import { isUserInput, UserInputs } from './UserInputs';

interface Props {
  onClose: () => void;
  /** Called with the invited user; the parent displays the invitation. */
  onInvited: (made: InvitedUser) => void;
}

/** How a new user gets access. */
type NewUserFields = UserFields & { entry: 'invitation' | 'password' };

/**
 * The dialog that creates a user, with an invitation or with a password. The draft contains
 * everything except the password. After a reload the user must enter the same password again to
 * retry a sent request: the service rejects another password under its key.
 */
export function CreateUser({ onClose, onInvited }: Props) {
  const t = useText(userMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const rejection = useAccessRejection();
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const isPasswordRight = passwordFault(password) === undefined;
  const isReady = ({ entry }: NewUserFields) => entry === 'invitation' || isPasswordRight;
  const keyed = useKeyedForm<NewUserFields, InvitedUser>({
    scope: 'users/new',
    title: t('add'),
    topics: ['users'],
    open: () => ({ ...blankUser, entry: 'invitation' }),
    isComplete: (form) => isUsername(form.username) && isReady(form),
    send: ({ username, displayName, roles, entry }, key) =>
      createUser({ username, displayName: displayName.trim(), password: entry === 'password' ? password : undefined, roles: namesIn(roles) }, key),
    onDone: ({ invitation, secretShownOnce, ...made }) => {
      queries.setQueryData(oneUser(made.id).queryKey, made);
      toasts.done(t('createdNow', { name: made.username }));
      onClose();
      if (invitation !== undefined) {
        onInvited({ ...made, invitation, secretShownOnce });
        return;
      }
      void navigate({ to: '/users/$id', params: { id: String(made.id) } });
    },
  });
  const { form, change, error, isFixed, outcome } = keyed;
  const strict = keyed.strict || isTried;
  const rejected = useFieldErrorText(error);
  const submit = () => {
    setTried(true);
    if (isReady(form) || !isFixed) keyed.submit();
  };
  const { username } = form;
  const explain = (problem: Error) =>
    isProblem(problem, 'idempotency_key_reused') ? (
      <Banner
        tone="warn"
        title={t('otherPassword')}
        action={
          <Link to="/users" search={{ q: username }} onClick={onClose}>
            {t('showNamed', { name: username })}
          </Link>
        }
      >
        {t('createOtherPassword', { name: username })}
      </Banner>
    ) : (
      rejection(problem)
    );
  return (
    <FormDialog
      form={{ ...keyed, submit }}
      title={t('add')}
      confirm={t('create')}
      hasInput={(pointer) => isUserInput(pointer) || pointer === '/password'}
      renderRejection={explain}
      unknown={form.entry === 'password' ? { hint: t('samePassword') } : undefined}
      onClose={onClose}
    >
      <UserInputs value={form} isNew strict={strict} error={error} readOnly={isFixed} onChange={change}>
        <Radio.Group label={t('entry')} value={form.entry} onChange={(entry) => change({ entry })}>
          <Stack gap="xs" mt={6}>
            <Radio value="invitation" label={t('entryInvitation')} description={t('entryInvitationHint')} disabled={isFixed} />
            <Radio value="password" label={t('entryPassword')} disabled={isFixed} />
          </Stack>
        </Radio.Group>
        {form.entry === 'password' && (
          <NewPassword
            label={t('password')}
            value={password}
            strict={strict}
            rejected={rejected('/password')}
            disabled={outcome === 'sending'}
            onChange={setPassword}
          />
        )}
      </UserInputs>
    </FormDialog>
  );
}
