import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isProblem } from '@/api';
import { createPasskey, PasskeyError, stopAsking, type PasskeyAnswer } from '@/browser/passkeys';
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
  // It lives in the page only.
  const answer = useRef<PasskeyAnswer>({});
  const confirm = useKeyedMutation<null, ConfirmedFactor>({
    scope: `me/factors/${setup.id}/confirm`,
    title: t('passkeyTitle'),
    topics: ['users'],
    send: () => confirmFactor(setup.id, { credential: answer.current }),
    onDone: onConfirmed,
  });
  const make = useMutation({
    mutationFn: () => createPasskey(setup.options),
    onSuccess: (made) => {
      answer.current = made;
      confirm.run(null);
    },
  });
  // Who closes the dialog is asked no more.
  useEffect(() => stopAsking, []);
  const isWrong = isProblem(confirm.error, 'validation_failed');
  const run = () => {
    if (confirm.outcome === 'unknown') confirm.again();
    else make.mutate();
  };
  return (
    <Stack gap="md">
      {make.isError && <Failure error={make.error} />}
      {confirm.error !== null && (isWrong ? <Banner tone="bad" title={t('passkeyWrong')} /> : <SetUpRefusal error={confirm.error} />)}
      <Text>{t('passkeyMake')}</Text>
      <Buttons confirm={t('passkeyConfirm')} isSending={make.isPending || confirm.outcome === 'sending'} onClose={onClose} onConfirm={run} />
    </Stack>
  );
}

/** Why the browser made none. */
const failures = { cancelled: 'passkeyCancelled', registered: 'passkeyRegistered', failed: 'passkeyFailed' } as const;

function Failure({ error }: { error: Error }) {
  const t = useText(factorMessages);
  return <Banner tone="warn" title={t(failures[error instanceof PasskeyError ? error.failure : 'failed'])} />;
}
