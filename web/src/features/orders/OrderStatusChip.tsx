import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { orderMessages } from './messages';
import type { Order, OrderStatus } from './queries';

const toneOf: Record<OrderStatus, Tone> = { pending: 'warn', paid: 'info', shipped: 'accent', completed: 'ok', cancelled: 'neutral' };
const paymentTone: Record<Order['paymentStatus'], Tone> = { unpaid: 'warn', partly_paid: 'warn', paid: 'ok', partly_refunded: 'info', refunded: 'neutral' };
const fulfilmentTone: Record<Order['fulfilmentStatus'], Tone> = { none: 'neutral', partly_shipped: 'info', shipped: 'ok' };

export function OrderStatusChip({ status }: { status: OrderStatus }) {
  const t = useText(orderMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}

/** The payment status of an order. */
export function PaidChip({ status }: { status: Order['paymentStatus'] }) {
  const t = useText(orderMessages);
  return <StatusChip tone={paymentTone[status]}>{t(`payment_${status}`)}</StatusChip>;
}

/** The fulfilment status of an order. */
export function FulfilmentChip({ status }: { status: Order['fulfilmentStatus'] }) {
  const t = useText(orderMessages);
  return <StatusChip tone={fulfilmentTone[status]}>{t(`fulfilment_${status}`)}</StatusChip>;
}
