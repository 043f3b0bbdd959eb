import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretLost } from '@/features/access/SecretLost';
import { ShownOnce } from '@/features/access/ShownOnce';
import { useText } from '@/i18n';
import { webhookMessages } from './messages';
import type { WebhookWithSecret } from './queries';

interface Props {
  made: WebhookWithSecret;
  onStored: () => void;
  /** The button that creates another secret. */
  again: ReactNode;
}

/** The secret of a webhook, displayed only once, and instructions for its use. */
export function WebhookSecret({ made: { secret }, onStored, again }: Props) {
  const t = useText(webhookMessages);
  if (secret === undefined) return <SecretLost title={t('lostTitle')} warning={t('lostWarning')} hint={t('lostHint')} action={again} onClose={onStored} />;
  const labels = {
    title: t('secretTitle'),
    warning: t('secretWarning'),
    hint: t('secretHint'),
    secret: t('secret'),
    copy: t('copy'),
    copied: t('copied'),
    stored: t('stored'),
  };
  return (
    <ShownOnce labels={labels} lines={[secret]} onStored={onStored}>
      <Text c="dimmed">{t('usage')}</Text>
    </ShownOnce>
  );
}
