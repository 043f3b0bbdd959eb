import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem, lastTenant, signIn } from '@/api';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { useProblemText } from '../feedback/said';
import { signInMessages } from './messages';

interface Props {
  /** Who was signed in and where, when a session is renewed. Both can be changed. */
  known?: { username: string; tenant: string };
}

/** Asks for name and password, and for the tenant where it may be another one. */
export function SignInForm({ known }: Props) {
  const t = useText(signInMessages);
  const [username, setUsername] = useState(known?.username ?? '');
  const [password, setPassword] = useState('');
  const [tenant, setTenant] = useState(known?.tenant ?? lastTenant);
  const [choosing, setChoosing] = useState(tenant !== '');
  const [asked, setAsked] = useState(false);
  const attempt = useMutation({ mutationFn: signIn });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    if (username !== '' && password !== '') attempt.mutate({ username, password, tenant: tenant === '' ? undefined : tenant });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {attempt.isError && <Refusal error={attempt.error} />}
        <TextInput
          label={t('username')}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={asked && username === '' && t('usernameNeeded')}
          data-autofocus={known === undefined || undefined}
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
          data-autofocus={known !== undefined || undefined}
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
            onChange={(event) => setTenant(event.currentTarget.value)}
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

function Refusal({ error }: { error: unknown }) {
  const t = useText(signInMessages);
  const text = useProblemText();
  const words = isProblem(error, 'invalid_credentials') ? t('wrong') : isProblem(error, 'too_many_attempts') ? t('tooMany') : text(error);
  return <Banner tone="bad" title={words} />;
}
