import { Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { isProblem } from '@/api';
import { createPasskey, PasskeyError, stopAsking, type PasskeyAnswer, type PasskeyFailure } from '@/browser/passkeys';
import { useText } from '@/i18n';
import { Banner, useKeyedMutation } from '@/ui';
import { Buttons, SetUpRefusal } from './parts';
import { factorMessages } from './messages';
import { confirmFactor, type ConfirmedFactor, type FactorSetup } from './queries';

interface Props {
  setup: Extract<FactorSetup, { kind: 'passkey' }>;
  onConfirmed: (factor: ConfirmedFactor) => void;
  onClose: () => void;
}

/** Asks the browser for a passkey, and sends what it says. */
export function MakePasskey({ setup, onConfirmed, onClose }: Props) {
  const t = useText(factorMessages);
  // What the browser says lives in the page only; it is sent again as it is while no answer came.
  const answer = useRef<PasskeyAnswer>({});
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<PasskeyFailure>();
  const confirm = useKeyedMutation<null, ConfirmedFactor>({
    scope: `me/factors/${setup.id}/confirm`,
    title: t('passkeyTitle'),
    topics: ['users'],
    send: () => confirmFactor(setup.id, { credential: answer.current }),
    onDone: onConfirmed,
  });
  // Who closes the dialog is asked no more.
  useEffect(() => stopAsking, []);
  const make = async () => {
    setFailure(undefined);
    confirm.reset();
    setAsking(true);
    try {
      answer.current = await createPasskey(setup.options);
      confirm.run(null);
    } catch (error) {
      setFailure(error instanceof PasskeyError ? error.failure : 'failed');
    } finally {
      setAsking(false);
    }
  };
  const run = () => {
    if (confirm.outcome === 'unknown') confirm.again();
    else void make();
  };
  return (
    <Stack gap="md">
      {failure !== undefined && <Banner tone="warn" title={t(failures[failure])} />}
      {confirm.error !== null && <Refusal error={confirm.error} />}
      <Text>{t('passkeyMake')}</Text>
      <Buttons confirm={t('passkeyConfirm')} isSending={isAsking || confirm.outcome === 'sending'} onClose={onClose} onConfirm={run} />
    </Stack>
  );
}

/** Why the browser made none. */
const failures = { cancelled: 'passkeyCancelled', registered: 'passkeyRegistered', failed: 'passkeyFailed' } as const;

function Refusal({ error }: { error: Error }) {
  const t = useText(factorMessages);
  if (isProblem(error, 'validation_failed')) return <Banner tone="bad" title={t('passkeyWrong')} />;
  return <SetUpRefusal error={error} />;
}
