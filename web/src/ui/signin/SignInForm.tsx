import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { finishSignIn, isProblem, lastTenant, signIn, type Challenge } from '@/api';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { useProblemText } from '../feedback/problemText';
import { FactorForm } from './FactorForm';
import { signInMessages } from './messages';
import { ProviderButtons } from './ProviderButtons';

interface Props {
  /** The user and tenant of a session that is renewed. Both can be changed. */
  known?: { username: string; tenant: string };
}

/** The sign-in form: user name and password, the tenant unless it is known, a second factor if the user has one, and the providers. */
export function SignInForm({ known }: Props) {
  const t = useText(signInMessages);
  const [username, setUsername] = useState(known?.username ?? '');
  const [tenant, setTenant] = useState(known?.tenant ?? lastTenant);
  const [challenge, setChallenge] = useState<Challenge>();
  const [isOver, setOver] = useState(false);
  const back = (over: boolean) => {
    setOver(over);
    setChallenge(undefined);
  };
  if (challenge !== undefined) {
    return (
      <FactorForm
        challenge={challenge}
        hint={t('codeHint')}
        send={(shown) => finishSignIn(challenge.challenge, shown)}
        back={t('back')}
        onBack={() => back(false)}
        onEnded={() => back(true)}
      />
    );
  }
  return (
    <>
      <PasswordForm
        username={username}
        tenant={tenant}
        isKnown={known !== undefined}
        isOver={isOver}
        onUsername={setUsername}
        onTenant={setTenant}
        onChallenge={setChallenge}
      />
      <ProviderButtons tenant={tenant} isAtWork={known !== undefined} />
    </>
  );
}

interface PasswordProps {
  username: string;
  tenant: string;
  /** Whether the user of the session is filled in. */
  isKnown: boolean;
  /** Whether a sign-in expired before its second factor was entered. */
  isOver: boolean;
  onUsername: (username: string) => void;
  onTenant: (tenant: string) => void;
  onChallenge: (challenge: Challenge | undefined) => void;
}

function PasswordForm({ username, tenant, isKnown, isOver, onUsername, onTenant, onChallenge }: PasswordProps) {
  const t = useText(signInMessages);
  const [password, setPassword] = useState('');
  const [choosing, setChoosing] = useState(tenant !== '');
  const [asked, setAsked] = useState(false);
  const attempt = useMutation({ mutationFn: signIn, onSuccess: onChallenge });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    if (username !== '' && password !== '') attempt.mutate({ username, password, tenant: tenant === '' ? undefined : tenant });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isOver && !attempt.isError && <Banner tone="warn" title={t('challengeExpired')} />}
        {attempt.isError && <Rejection error={attempt.error} />}
        <TextInput
          label={t('username')}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          value={username}
          onChange={(event) => onUsername(event.currentTarget.value)}
          error={asked && username === '' && t('usernameNeeded')}
          data-autofocus={!isKnown || undefined}
        />
        <PasswordInput
          label={t('password')}
          name="password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          size="md"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={asked && password === '' && t('passwordNeeded')}
          data-autofocus={isKnown || undefined}
        />
        {choosing ? (
          <TextInput
            label={t('tenant')}
            name="tenant"
            autoComplete="organization"
            autoCapitalize="none"
            spellCheck={false}
            size="md"
            value={tenant}
            onChange={(event) => onTenant(event.currentTarget.value)}
          />
        ) : (
          <Anchor component="button" type="button" fz="sm" ta="start" onClick={() => setChoosing(true)}>
            {t('otherTenant')}
          </Anchor>
        )}
        <Button type="submit" variant="filled" size="md" loading={attempt.isPending}>
          {t('submit')}
        </Button>
      </Stack>
    </form>
  );
}

function Rejection({ error }: { error: unknown }) {
  const t = useText(signInMessages);
  const text = useProblemText();
  const message = isProblem(error, 'invalid_credentials') ? t('wrong') : isProblem(error, 'too_many_attempts') ? t('tooMany') : text(error);
  return <Banner tone="bad" title={message} />;
}
