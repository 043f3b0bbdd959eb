import { Button, Divider, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { checkInvitation, finishSignIn, isProblem, isUnknown, type Challenge, type Invited } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, useFieldErrorText, useProblemText } from '@/ui';
import { FactorForm } from '@/ui/signin/FactorForm';
import { SignInFrame } from '@/ui/signin/SignInFrame';
import { useProviders } from '@/ui/signin/useProviders';
import { useAcceptance, useProviderAcceptance } from '@/ui/signin/useAcceptance';
import { PasswordField } from '../PasswordField';
import { passwordFault } from '../users/fields';
import { NewPassword } from '../users/NewPassword';
import { invitationMessages } from './messages';

/**
 * The page on which an invited user chooses a password and is signed in. The invitation is in the
 * fragment of the address, which browsers do not send.
 */
export function InvitationPage() {
  const t = useText(invitationMessages);
  const navigate = useNavigate();
  const invitation = useLocation({ select: ({ hash }) => hash });
  const [challenge, setChallenge] = useState<Challenge>();
  const check = useQuery({
    queryKey: ['invitation', invitation],
    queryFn: ({ signal }) => checkInvitation(invitation, signal),
    enabled: invitation !== '',
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  // The address contains a secret, so it must not stay in the history.
  const leave = () => void navigate({ to: '/', replace: true });
  const onAccepted = (next: Challenge | undefined) => {
    if (next === undefined) leave();
    else setChallenge(next);
  };
  return (
    <SignInFrame title={t('title')}>
      {challenge !== undefined ? (
        <FactorForm
          challenge={challenge}
          hint={t('codeHint')}
          send={async (shown) => {
            await finishSignIn(challenge.challenge, shown);
            leave();
          }}
          back={t('codeBack')}
          onBack={leave}
          onEnded={leave}
        />
      ) : check.data !== undefined ? (
        <ChoosePassword invitation={invitation} invited={check.data} onAccepted={onAccepted} onLeave={leave} />
      ) : check.isError || invitation === '' ? (
        <Over error={check.error} onLeave={leave} />
      ) : (
        <Loader role="img" aria-label={t('loading')} />
      )}
    </SignInFrame>
  );
}

/** Shown for an invitation that is not valid, with the next step. */
function Over({ error, onLeave }: { error: Error | null; onLeave: () => void }) {
  const t = useText(invitationMessages);
  const text = useProblemText();
  const isOver = error === null || isProblem(error, 'invalid_credentials') || isProblem(error, 'validation_failed');
  return (
    <Stack gap="md">
      <Banner tone="bad" title={isOver ? t('invalid') : text(error)}>
        {isOver && t('invalidHint')}
      </Banner>
      <Button onClick={onLeave}>{t('signIn')}</Button>
    </Stack>
  );
}

interface ChooseProps {
  invitation: string;
  invited: Invited;
  onAccepted: (challenge: Challenge | undefined) => void;
  onLeave: () => void;
}

function ChoosePassword({ invitation, invited: { tenant, username, displayName, expiresTime }, onAccepted, onLeave }: ChooseProps) {
  const t = useText(invitationMessages);
  const { dateTime } = useFormat();
  const text = useProblemText();
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [isTried, setTried] = useState(false);
  const accept = useAcceptance(invitation, onAccepted);
  const rejected = useFieldErrorText(accept.error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (passwordFault(password) === undefined && password === repeated && !accept.isPending) accept.mutate(password);
  };
  if (isProblem(accept.error, 'invalid_credentials')) return <Over error={accept.error} onLeave={onLeave} />;
  const isShown = accept.error !== null && rejected('/password') === undefined;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isShown && <Banner tone="bad" title={isUnknown(accept.error) ? t('unknown') : text(accept.error)} />}
        <Text>{t('welcome', { name: displayName, username })}</Text>
        <TextInput label={t('username')} name="username" autoComplete="username" classNames={{ input: 'mono' }} value={username} readOnly />
        <NewPassword
          label={t('password')}
          value={password}
          strict={isTried}
          rejected={rejected('/password')}
          disabled={accept.isPending}
          autoFocus
          onChange={(value) => {
            setPassword(value);
            // The rejection belongs to the earlier input, so it is cleared.
            accept.reset();
          }}
        />
        <PasswordField
          label={t('repeat')}
          kind="new-password"
          disabled={accept.isPending}
          value={repeated}
          error={isTried && repeated !== password && t('repeatWrong')}
          onChange={setRepeated}
        />
        <Button type="submit" variant="filled" size="md" loading={accept.isPending}>
          {t('accept')}
        </Button>
        <ByProvider invitation={invitation} tenant={tenant} />
        <Text fz="sm" c="dimmed">
          {t('until', { when: dateTime(expiresTime) })}
        </Text>
      </Stack>
    </form>
  );
}

/** Accepts the invitation with a provider instead of a password, if the tenant has one. */
function ByProvider({ invitation, tenant }: { invitation: string; tenant: string }) {
  const t = useText(invitationMessages);
  const text = useProblemText();
  const providers = useProviders(tenant);
  const go = useProviderAcceptance(invitation);
  if (providers.length === 0) return null;
  return (
    <Stack gap="xs">
      <Divider label={t('or')} />
      {go.isError && <Banner tone="bad" title={text(go.error)} />}
      {providers.map(({ name, displayName }) => (
        <Button key={name} size="md" loading={go.isPending && go.variables === name} disabled={go.isPending} onClick={() => go.mutate(name)}>
          {t('byProvider', { name: displayName })}
        </Button>
      ))}
    </Stack>
  );
}
