import { Modal } from '@mantine/core';
import { useEffect } from 'react';
import { sessionStore, stepUp, stepUpQuestion, useStepUp, type FactorMethod } from '@/api';
import { useText } from '@/i18n';
import { FactorForm } from './FactorForm';
import { signInMessages } from './messages';

/** Above what it is asked from, and below the sign-in. */
const onTop = 400;

const methods: readonly FactorMethod[] = ['totp', 'recovery'];

/**
 * Opens over the page when a request needs the second factor afresh. The request waits; it
 * is sent again once the factor was shown, and given up when the dialog is closed or somebody
 * else signs in.
 */
export function StepUpDialog() {
  const t = useText(signInMessages);
  const asked = useStepUp();
  const cancel = () => stepUpQuestion.settle(false);
  useEffect(() => cancel, []);
  return (
    <Modal opened={asked} onClose={cancel} title={t('stepUpTitle')} withCloseButton={false} closeOnClickOutside={false} zIndex={onTop}>
      <FactorForm
        methods={methods}
        hint={t('stepUpHint')}
        send={stepUp}
        back={t('stepUpCancel')}
        onBack={cancel}
        onEnded={() => {
          cancel();
          void sessionStore.expired();
        }}
      />
    </Modal>
  );
}
