import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type SubmitEvent } from 'react';
import { isProblem, type FactorMethod, type ShownFactor } from '@/api';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { useProblemText } from '../feedback/said';
import { signInMessages } from './messages';

interface Props {
  /** Those that can be shown, the usual one first. */
  methods: readonly FactorMethod[];
  /** Why it is asked for. */
  hint: string;
  send: (shown: ShownFactor) => Promise<void>;
  /** The way back, and its words. */
  back: string;
  onBack: () => void;
  /** What the code was asked for has ended; anything else is said in the form. */
  onEnded: () => void;
}

/** Asks for a second factor: the code of an app, or a recovery code. */
export function FactorForm({ methods, hint, send, back, onBack, onEnded }: Props) {
  const t = useText(signInMessages);
  const input = useRef<HTMLInputElement>(null);
  const [method, setMethod] = useState(methods[0] ?? 'totp');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const attempt = useMutation({
    mutationFn: send,
    onError: (error) => {
      if (isProblem(error, 'unauthenticated')) onEnded();
      // What was typed stays, to be looked at or typed over.
      else input.current?.select();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    if (code.trim() !== '') attempt.mutate({ method, code: code.trim() });
  };
  const choose = (next: FactorMethod) => {
    setMethod(next);
    setCode('');
    setAsked(false);
    attempt.reset();
    input.current?.focus();
  };
  const isTotp = method === 'totp';
  const other = methods.find((one) => one !== method);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {attempt.isError && <Refusal error={attempt.error} isTotp={isTotp} />}
        <Text>{hint}</Text>
        <TextInput
          key={method}
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
        {other !== undefined && (
          <Anchor component="button" type="button" fz="sm" ta="start" onClick={() => choose(other)}>
            {t(other === 'totp' ? 'useTotp' : 'useRecovery')}
          </Anchor>
        )}
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

function Refusal({ error, isTotp }: { error: unknown; isTotp: boolean }) {
  const t = useText(signInMessages);
  const text = useProblemText();
  const words = isProblem(error, 'invalid_credentials')
    ? t(isTotp ? 'codeWrong' : 'recoveryWrong')
    : isProblem(error, 'too_many_attempts')
      ? t('tooMany')
      : text(error);
  return <Banner tone="bad" title={words} />;
}
