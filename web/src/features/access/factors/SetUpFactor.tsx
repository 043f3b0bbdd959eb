import { Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, CopyText, Dialog, ProblemBanner, useFieldErrorText, useKeyedMutation } from '@/ui';
import { PasswordField } from '../PasswordField';
import { Buttons, maxNameLength, SetUpRejection } from './parts';
import { MakePasskey } from './MakePasskey';
import { factorMessages } from './messages';
import { QrCode } from './QrCode';
import { beginFactor, confirmFactor, type ConfirmedFactor, type FactorKind, type FactorSetup } from './queries';

type AppSetup = Required<Omit<Extract<FactorSetup, { kind: 'totp' }>, 'secretShownOnce'>>;
type PasskeySetup = Extract<FactorSetup, { kind: 'passkey' }>;

function hasSecret(setup: FactorSetup): setup is AppSetup | PasskeySetup {
  return setup.kind === 'passkey' || setup.secret !== undefined;
}

const titles = { totp: 'setUpTitle', passkey: 'passkeyTitle' } as const;

interface Props {
  kind: FactorKind;
  /** The first factor has a default name. */
  isFirst: boolean;
  /** The first factor requires the password, if the user has one. */
  needsPassword: boolean;
  onClose: () => void;
  onConfirmed: (factor: ConfirmedFactor) => void;
}

/**
 * The dialog that registers a factor. An authenticator app is named, receives its secret, and is
 * confirmed with a code; a passkey is named and created. Closing the dialog before the confirmation
 * leaves everything unchanged.
 */
export function SetUpFactor({ kind, isFirst, needsPassword, onClose, onConfirmed }: Props) {
  const t = useText(factorMessages);
  const [setup, setSetup] = useState<AppSetup | PasskeySetup>();
  return (
    <Dialog onClose={onClose} size="md" title={t(titles[kind])} withCloseButton={false} closeOnClickOutside={false}>
      {setup === undefined && <NameIt kind={kind} isFirst={isFirst} needsPassword={needsPassword} onBegun={setSetup} onClose={onClose} />}
      {setup?.kind === 'totp' && <ConfirmIt setup={setup} onConfirmed={onConfirmed} onClose={onClose} />}
      {setup?.kind === 'passkey' && <MakePasskey setup={setup} onConfirmed={onConfirmed} onClose={onClose} />}
    </Dialog>
  );
}

interface NameProps {
  kind: FactorKind;
  isFirst: boolean;
  needsPassword: boolean;
  onBegun: (setup: AppSetup | PasskeySetup) => void;
  onClose: () => void;
}

function NameIt({ kind, isFirst, needsPassword, onBegun, onClose }: NameProps) {
  const t = useText(factorMessages);
  const [name, setName] = useState(isFirst ? t(kind === 'totp' ? 'nameFirst' : 'nameFirstPasskey') : '');
  // The password is never stored in the browser.
  const [password, setPassword] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const [isLost, setLost] = useState(false);
  const begin = useKeyedMutation<string, FactorSetup>({
    scope: `me/factors/begin-${kind}`,
    title: t(titles[kind]),
    send: (name, key) => beginFactor({ kind, name, password: needsPassword ? password : undefined }, key),
    onDone: (setup) => {
      if (hasSecret(setup)) onBegun(setup);
      else setLost(true);
    },
  });
  const rejected = useFieldErrorText(begin.error)('/password');
  const isComplete = name.trim() !== '' && (!needsPassword || password !== '');
  const isWrong = isProblem(begin.error, 'validation_failed') && begin.error.fields.some(({ code }) => code === 'wrong');
  const passwordFault = submitted && password === '' ? t('passwordNeeded') : isWrong ? t('passwordWrong') : rejected;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    setLost(false);
    if (begin.outcome === 'unknown') begin.retry();
    else if (isComplete) begin.run(name.trim());
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isLost && (
          <Banner tone="warn" title={t('secretLost')}>
            {t('secretLostHint')}
          </Banner>
        )}
        {begin.error !== null && (rejected === undefined || !needsPassword) && <ProblemBanner error={begin.error} />}
        <TextInput
          label={t('name')}
          description={t(kind === 'totp' ? 'nameHint' : 'nameHintPasskey')}
          maxLength={maxNameLength}
          value={name}
          error={submitted && name.trim() === '' && t('nameNeeded')}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus={!needsPassword || undefined}
        />
        {needsPassword && (
          <PasswordField
            label={t('password')}
            description={t('passwordHint')}
            kind="current-password"
            value={password}
            error={passwordFault}
            autoFocus
            onChange={setPassword}
          />
        )}
        <Buttons confirm={t('next')} isSending={begin.outcome === 'sending'} onClose={onClose} />
      </Stack>
    </form>
  );
}

function ConfirmIt({ setup, onConfirmed, onClose }: { setup: AppSetup; onConfirmed: Props['onConfirmed']; onClose: () => void }) {
  const t = useText(factorMessages);
  const input = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const [submitted, setSubmitted] = useState(false);
  // The code is never stored in the browser.
  const confirm = useKeyedMutation<null, ConfirmedFactor>({
    scope: `me/factors/${setup.id}/confirm`,
    title: t('setUpTitle'),
    topics: ['users'],
    send: (_, key) => confirmFactor(setup.id, { code: code.trim() }, key),
    onDone: onConfirmed,
    onRejected: () => input.current?.select(),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (code.trim() === '') return;
    if (confirm.outcome === 'unknown') confirm.retry();
    else confirm.run(null);
  };
  const isWrong = isProblem(confirm.error, 'validation_failed');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {confirm.error !== null && !isWrong && <SetUpRejection error={confirm.error} />}
        <Text>{t('scan')}</Text>
        <QrCode text={setup.uri} label={t('qr')} />
        <div role="group" aria-label={t('secret')}>
          <Text fw={600}>{t('secret')}</Text>
          <CopyText text={setup.secret} label={t('secret')} />
        </div>
        <TextInput
          ref={input}
          label={t('code')}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={64}
          value={code}
          error={submitted && code.trim() === '' ? t('codeNeeded') : isWrong && t('codeWrong')}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoFocus
        />
        <Buttons confirm={t('confirm')} isSending={confirm.outcome === 'sending'} onClose={onClose} />
      </Stack>
    </form>
  );
}
