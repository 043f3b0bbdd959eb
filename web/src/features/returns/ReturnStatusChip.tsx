import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { returnMessages } from './messages';
import type { ReturnStatus } from './queries';

const toneOf: Record<ReturnStatus, Tone> = { requested: 'warn', received: 'info', closed: 'ok', rejected: 'neutral' };

export function ReturnStatusChip({ status }: { status: ReturnStatus }) {
  const t = useText(returnMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}
