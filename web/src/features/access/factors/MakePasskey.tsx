import { Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { isProblem } from '@/api';
import { createPasskey, PasskeyError, abortRequest, type PasskeyAnswer, type PasskeyFailure } from '@/browser/passkeys';
import { useText } from '@/i18n';
import { Banner, useKeyedMutation } from '@/ui';
import { Buttons, SetUpRejection } from './parts';
import { factorMessages } from './messages';
import { confirmFactor, type ConfirmedFactor, type FactorSetup } from './queries';

interface Props {
  setup: Extract<FactorSetup, { kind: 'passkey' }>;
  onConfirmed: (factor: ConfirmedFactor) => void;
  onClose: () => void;
}

/** Creates a passkey in the browser and registers it with the service. */
export function MakePasskey({ setup, onConfirmed, onClose }: Props) {
  const t = useText(factorMessages);
  // The browser's response is never stored. A retry after a lost reply sends the same response.
  const answer = useRef<PasskeyAnswer>({});
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<PasskeyFailure>();
  const confirm = useKeyedMutation<null, ConfirmedFactor>({
    scope: `me/factors/${setup.id}/confirm`,
    title: t('passkeyTitle'),
    topics: ['users'],
    send: (_, key) => confirmFactor(setup.id, { credential: answer.current }, key),
    onDone: onConfirmed,
  });
  // Closing the dialog aborts the passkey prompt.
  useEffect(() => abortRequest, []);
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
    if (confirm.outcome === 'unknown') confirm.retry();
    else void make();
  };
  return (
    <Stack gap="md">
      {failure !== undefined && <Banner tone="warn" title={t(failures[failure])} />}
      {confirm.error !== null && <Rejection error={confirm.error} />}
      <Text>{t('passkeyMake')}</Text>
      <Buttons confirm={t('passkeyConfirm')} isSending={isAsking || confirm.outcome === 'sending'} onClose={onClose} onConfirm={run} />
    </Stack>
  );
}

/** The messages for each failure of the browser. */
const failures = { cancelled: 'passkeyCancelled', registered: 'passkeyRegistered', failed: 'passkeyFailed' } as const;

function Rejection({ error }: { error: Error }) {
  const t = useText(factorMessages);
  if (isProblem(error, 'validation_failed')) return <Banner tone="bad" title={t('passkeyWrong')} />;
  return <SetUpRejection error={error} />;
}
