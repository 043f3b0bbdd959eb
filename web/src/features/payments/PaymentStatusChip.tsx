import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { paymentMessages } from './messages';
import type { PaymentStatus } from './queries';

const toneOf: Record<PaymentStatus, Tone> = { unmatched: 'warn', applied: 'ok', refunded: 'neutral' };

export function PaymentStatusChip({ status }: { status: PaymentStatus }) {
  const t = useText(paymentMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}
