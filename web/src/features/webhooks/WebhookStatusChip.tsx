import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { webhookMessages } from './messages';
import type { Webhook } from './queries';

const tones = { active: 'ok', disabled: 'neutral', paused: 'bad' } as const;

/** The status of a webhook; an active one that fails at present is marked. */
export function WebhookStatusChip({ webhook: { status, failingSince } }: { webhook: Pick<Webhook, 'status' | 'failingSince'> }) {
  const t = useText(webhookMessages);
  if (status === 'active' && failingSince !== null) return <StatusChip tone="warn">{t('failing')}</StatusChip>;
  return <StatusChip tone={tones[status]}>{t(status)}</StatusChip>;
}
