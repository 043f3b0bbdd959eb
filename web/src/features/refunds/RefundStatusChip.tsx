import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { refundMessages } from './messages';
import type { RefundStatus } from './queries';

const toneOf: Record<RefundStatus, Tone> = { requested: 'warn', approved: 'info', rejected: 'neutral', settled: 'ok', failed: 'bad', unknown: 'warn' };

export function RefundStatusChip({ status }: { status: RefundStatus }) {
  const t = useText(refundMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}
