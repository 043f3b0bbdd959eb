import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef, useState, type RefObject, type SubmitEvent } from 'react';
import { isProblem, type Challenge, type FactorMethod, type ShownFactor } from '@/api';
import { askForPasskey, PasskeyError, passkeyUse, abortRequest } from '@/browser/passkeys';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { useProblemText } from '../feedback/problemText';
import { signInMessages } from './messages';

interface Props {
  /** The available factors, the default first, and the options for a passkey. */
  challenge: Pick<Challenge, 'methods' | 'passkey'>;
  /** Why the factor is required. */
  hint: string;
  send: (shown: Omit<ShownFactor, 'challenge'>) => Promise<void>;
  /** The label of the back button. */
  back: string;
  onBack: () => void;
  /** Called if the challenge has expired. The form shows all other errors. */
  onEnded: () => void;
}

/** The labels of the buttons that switch to each method. */
const ways = { passkey: 'usePasskey', totp: 'useTotp', recovery: 'useRecovery' } as const;

/** Requests a second factor: a passkey, an authenticator code, or a recovery code. */
export function FactorForm({ challenge: { methods, passkey }, hint, send, back, onBack, onEnded }: Props) {
  const t = useText(signInMessages);
  const input = useRef<HTMLInputElement>(null);
  const isHere = passkey !== null && passkeyUse(passkey.rpId) === 'here';
  // A passkey that this page cannot use is not offered; a note explains it.
  const usable = methods.filter((one) => one !== 'passkey' || isHere);
  const [chosen, setChosen] = useState<FactorMethod>();
  const method = chosen ?? usable[0];
  const attempt = useMutation({
    mutationFn: async (code: string) => {
      if (method === undefined) return;
      if (method !== 'passkey') await send({ method, code });
      else if (passkey !== null) await send({ method, credential: await askForPasskey(passkey) });
    },
    onError: (error) => {
      if (isProblem(error, 'unauthenticated')) onEnded();
      // The typed code stays selected, to be checked or replaced.
      else input.current?.select();
    },
  });
  // Leaving the form aborts the passkey prompt.
  useEffect(() => abortRequest, []);
  const choose = (next: FactorMethod) => {
    setChosen(next);
    attempt.reset();
  };
  return (
    <Stack gap="md">
      {attempt.isError && <Rejection error={attempt.error} method={method} />}
      <Text>{hint}</Text>
      {methods.length > usable.length && <Banner tone="warn" title={t('passkeyElsewhere')} />}
      {method === 'passkey' && <ShowPasskey attempt={attempt} back={back} onBack={onBack} />}
      {method !== undefined && method !== 'passkey' && <TypeCode key={method} method={method} input={input} attempt={attempt} back={back} onBack={onBack} />}
      {method === undefined && <Button onClick={onBack}>{back}</Button>}
      {usable
        .filter((one) => one !== method)
        .map((one) => (
          <Anchor key={one} component="button" type="button" fz="sm" ta="start" onClick={() => choose(one)}>
            {t(ways[one])}
          </Anchor>
        ))}
    </Stack>
  );
}

interface PartProps {
  attempt: UseMutationResult<void, Error, string>;
  back: string;
  onBack: () => void;
}

function ShowPasskey({ attempt, back, onBack }: PartProps) {
  const t = useText(signInMessages);
  return (
    <>
      <Text c="dimmed">{t('passkeyDescription')}</Text>
      <Group justify="flex-end">
        <Button onClick={onBack}>{back}</Button>
        <Button variant="filled" loading={attempt.isPending} onClick={() => attempt.mutate('')} autoFocus data-autofocus>
          {t('passkeySubmit')}
        </Button>
      </Group>
    </>
  );
}

function TypeCode({ method, input, attempt, back, onBack }: PartProps & { method: 'totp' | 'recovery'; input: RefObject<HTMLInputElement | null> }) {
  const t = useText(signInMessages);
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    if (code.trim() !== '') attempt.mutate(code.trim());
  };
  const isTotp = method === 'totp';
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          ref={input}
          label={t(isTotp ? 'code' : 'recoveryCode')}
          description={t(isTotp ? 'codeDescription' : 'recoveryDescription')}
          name="code"
          autoComplete={isTotp ? 'one-time-code' : 'off'}
          inputMode={isTotp ? 'numeric' : 'text'}
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          maxLength={64}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={asked && code.trim() === '' && t('codeNeeded')}
          autoFocus
          data-autofocus
        />
        <Group justify="flex-end">
          <Button onClick={onBack}>{back}</Button>
          <Button type="submit" variant="filled" loading={attempt.isPending}>
            {t('codeSubmit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The message for a rejected factor, by method. */
const wrong = { passkey: 'passkeyWrong', totp: 'codeWrong', recovery: 'recoveryWrong' } as const;

function Rejection({ error, method = 'totp' }: { error: Error; method: FactorMethod | undefined }) {
  const t = useText(signInMessages);
  const text = useProblemText();
  if (error instanceof PasskeyError) return <Banner tone="warn" title={t(error.failure === 'cancelled' ? 'passkeyCancelled' : 'passkeyFailed')} />;
  const message = isProblem(error, 'invalid_credentials') ? t(wrong[method]) : isProblem(error, 'too_many_attempts') ? t('tooMany') : text(error);
  return <Banner tone="bad" title={message} />;
}
