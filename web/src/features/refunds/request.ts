import type { Order } from '@/features/orders/queries';
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
  reason: string;
}

export const blankRequest = ({ items }: { items: readonly Pick<Order['items'][number], 'sku'>[] }): RefundForm => ({
  by: 'lines',
  lines: items.map(({ sku }) => ({ sku, quantity: null, restock: false })),
  amount: null,
  reason: '',
});

/** The lines to send. Their order matters, because the service reports errors by the index of a line. */
export const requestedOf = ({ lines }: RefundForm): RequestedLine[] => lines.filter(({ quantity }) => quantity !== null);

/** The request body. It contains units or an amount, never both, because the service calculates the amount of units. */
export function requestOf(form: RefundForm): RefundRequest {
  const reason = form.reason.trim();
  if (form.by === 'amount') return { amount: form.amount, reason };
  return { reason, lines: requestedOf(form).map(({ sku, quantity, restock }) => ({ sku, quantity: quantity ?? 0, restock })) };
}

export const isComplete = (form: RefundForm): boolean =>
  form.reason.trim() !== '' && (form.by === 'amount' ? form.amount !== null && form.amount > 0 : requestedOf(form).length > 0);

/** The statuses in which a refund reduces the refundable units and amount of the order. */
const claiming = new Set<RefundStatus>(['requested', 'approved', 'unknown', 'settled']);

/** The number of units of each line that are already in refunds. */
export function unitsRequested(refunds: readonly Pick<Refund, 'status' | 'lines'>[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { status, lines } of refunds) {
    if (!claiming.has(status)) continue;
    for (const { sku, quantity } of lines) taken.set(sku, (taken.get(sku) ?? 0) + quantity);
  }
  return taken;
}

/** The latest refund that reduced the refundable amount; undefined if there is none. */
export const restOfLine = (refunds: readonly Refund[]): Refund | undefined => refunds.find(({ status }) => claiming.has(status));
