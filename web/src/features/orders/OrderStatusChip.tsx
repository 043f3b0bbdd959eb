import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { orderMessages } from './messages';
import type { OrderStatus } from './queries';

const toneOf: Record<OrderStatus, Tone> = { pending: 'warn', paid: 'info', shipped: 'accent', completed: 'ok', cancelled: 'neutral' };

export function OrderStatusChip({ status }: { status: OrderStatus }) {
  const t = useText(orderMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}
