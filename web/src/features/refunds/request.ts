import type { Order } from '@/features/orders/queries';
import type { Payment } from '@/features/payments/queries';
import type { Refund, RefundRequest, RefundStatus } from './queries';

/** The inputs of a line: the number of units, and whether they return to stock. */
export interface RequestedLine {
  sku: string;
  quantity: number | null;
  restock: boolean;
}

export interface RefundForm {
  /** Whether the refund is by units, for which the service calculates the amount, or by amount. */
  by: 'lines' | 'amount';
  lines: RequestedLine[];
  amount: number | null;
  /** The payment to repay; null for the first received one that has the amount left. */
  paymentId: number | null;
  reason: string;
}

export const blankRequest = ({ items }: { items: readonly Pick<Order['items'][number], 'sku'>[] }): RefundForm => ({
  by: 'lines',
  lines: items.map(({ sku }) => ({ sku, quantity: null, restock: false })),
  amount: null,
  paymentId: null,
  reason: '',
});

/** The lines to send. Their order matters, because the service reports errors by the index of a line. */
export const requestedOf = ({ lines }: RefundForm): RequestedLine[] => lines.filter(({ quantity }) => quantity !== null);

/** The request body. It contains units or an amount, never both, because the service calculates the amount of units. */
export function requestOf(form: RefundForm): RefundRequest {
  const common = { reason: form.reason.trim(), ...(form.paymentId !== null && { paymentId: form.paymentId }) };
  if (form.by === 'amount') return { ...common, amount: form.amount };
  return { ...common, lines: requestedOf(form).map(({ sku, quantity, restock }) => ({ sku, quantity: quantity ?? 0, restock })) };
}

export const isComplete = (form: RefundForm): boolean =>
  form.reason.trim() !== '' && (form.by === 'amount' ? form.amount !== null && form.amount > 0 : requestedOf(form).length > 0);

/** The statuses in which a refund reduces the refundable units and amount of the order. */
export const claiming: ReadonlySet<RefundStatus> = new Set(['requested', 'approved', 'unknown', 'settled']);

/** The number of units of each line that are already in refunds. */
export function unitsRequested(refunds: readonly Pick<Refund, 'status' | 'lines'>[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { status, lines } of refunds) {
    if (!claiming.has(status)) continue;
    for (const { sku, quantity } of lines) taken.set(sku, (taken.get(sku) ?? 0) + quantity);
  }
  return taken;
}

/** The payments of an order with an amount that can be refunded. */
export const refundablePayments = <P extends Pick<Payment, 'refundable'>>(payments: readonly P[]): P[] => payments.filter(({ refundable }) => refundable > 0);

/** The maximum amount of one refund, which repays one payment. */
export function maxAmountOf(order: Pick<Order, 'refundable'>, payments: readonly Pick<Payment, 'id' | 'refundable'>[], paymentId: number | null): number {
  const rests = payments.filter(({ id }) => paymentId === null || id === paymentId).map(({ refundable }) => refundable);
  return rests.length === 0 ? order.refundable : Math.max(...rests);
}

/** The latest refund that reduced the refundable amount; undefined if there is none. */
export const reservingRefund = (refunds: readonly Refund[]): Refund | undefined => refunds.find(({ status }) => claiming.has(status));
