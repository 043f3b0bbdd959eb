import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, usePlaceText, useToasts } from '@/ui';
import { namesIn } from '../sets';
import { useAccessRefusal } from '../useAccessRefusal';
import { blankUser, isUsername, passwordFault, type UserFields } from './fields';
import { userMessages } from './messages';
import { NewPassword } from './NewPassword';
import { createUser, oneUser, type User } from './queries';
import { isUserInput, UserInputs } from './UserInputs';

/**
 * The dialog that creates a user. What is typed is kept as everywhere, but for the
 * password: after a reload it is asked for again, also to ask for what was sent.
 */
export function CreateUser({ onClose }: { onClose: () => void }) {
  const t = useText(userMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refusal = useAccessRefusal();
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const isPasswordRight = passwordFault(password) === undefined;
  const keyed = useKeyedForm<UserFields, User>({
    scope: 'users/new',
    title: t('add'),
    topics: ['users'],
    open: () => blankUser,
    isComplete: ({ username }) => isUsername(username) && isPasswordRight,
    send: ({ username, displayName, roles }) => createUser({ username, displayName: displayName.trim(), password, roles: namesIn(roles) }),
    onDone: (made) => {
      queries.setQueryData(oneUser(made.id).queryKey, made);
      toasts.done(t('createdNow', { name: made.username }));
      onClose();
      void navigate({ to: '/users/$id', params: { id: String(made.id) } });
    },
  });
  const { form, change, error, isFixed, outcome } = keyed;
  const strict = keyed.strict || isTried;
  const refused = usePlaceText(error);
  const submit = () => {
    setTried(true);
    if (isPasswordRight || !isFixed) keyed.submit();
  };
  const { username } = form;
  const explain = (problem: Error) =>
    isProblem(problem, 'already_exists') && problem.isInDoubt ? (
      <Banner
        tone="warn"
        title={t('maybeYours', { name: username })}
        action={
          <Link to="/users" search={{ q: username }} onClick={onClose}>
            {t('lookFor', { name: username })}
          </Link>
        }
      >
        {t('maybeYoursHint')}
      </Banner>
    ) : (
      refusal(problem)
    );
  return (
    <FormDialog
      form={{ ...keyed, submit }}
      title={t('add')}
      confirm={t('create')}
      told={(pointer) => isUserInput(pointer) || pointer === '/password'}
      refusal={explain}
      unknown={{ hint: t('createUnknown') }}
      onClose={onClose}
    >
      <UserInputs value={form} isNew strict={strict} error={error} readOnly={isFixed} onChange={change}>
        <NewPassword
          label={t('password')}
          value={password}
          strict={strict}
          refused={refused('/password')}
          disabled={outcome === 'sending'}
          onChange={setPassword}
        />
      </UserInputs>
    </FormDialog>
  );
}
