import { Button, Group, Loader, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { beginStepUp, isProblem, sessionStore, stepUp, stepUpQuestion, useStepUp, type ShownFactor } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { FactorForm } from './FactorForm';
import { signInMessages } from './messages';

/** Above all dialogs that can open it, below the sign-in. */
const onTop = 400;

const cancel = () => stepUpQuestion.settle(false);

/**
 * Opens over the page when a request needs the second factor again. The request waits: it is sent
 * again once the factor is verified, and fails if the dialog is closed or another user signs in.
 */
export function StepUpDialog() {
  const t = useText(signInMessages);
  const stepUp = useStepUp();
  useEffect(() => cancel, []);
  return (
    <Modal opened={stepUp} onClose={cancel} title={t('stepUpTitle')} withCloseButton={false} closeOnClickOutside={false} zIndex={onTop}>
      {stepUp && <Question />}
    </Modal>
  );
}

/** Loads the available factors and requests one. A passkey challenge can be used once, within five minutes. */
function Question() {
  const t = useText(signInMessages);
  const { data, error, refetch } = useQuery({
    queryKey: ['step-up'],
    queryFn: ({ signal }) => beginStepUp(signal),
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  if (error !== null) {
    return (
      <Stack gap="md">
        <ProblemBanner error={error} retry={() => void refetch()} />
        <Group justify="flex-end">
          <Button onClick={cancel}>{t('stepUpCancel')}</Button>
        </Group>
      </Stack>
    );
  }
  if (data === undefined) return <Loader role="img" aria-label={t('stepUpTitle')} />;
  const send = async (shown: Omit<ShownFactor, 'challenge'>) => {
    try {
      await stepUp({ ...shown, challenge: data.challenge });
    } catch (rejected) {
      // The challenge has expired: the next attempt needs a new one.
      if (isProblem(rejected, 'validation_failed')) void refetch();
      throw rejected;
    }
  };
  return (
    <FactorForm
      challenge={data}
      hint={t('stepUpHint')}
      send={send}
      back={t('stepUpCancel')}
      onBack={cancel}
      onEnded={() => {
        cancel();
        void sessionStore.expired();
      }}
    />
  );
}
