import type { Order } from '@/features/orders/queries';
import type { Refund, RefundRequest, RefundStatus } from './queries';

/** What is typed of a line: how many of its pieces, and whether they come back. */
export interface WantedLine {
  sku: string;
  quantity: number | null;
  restock: boolean;
}

export interface RefundForm {
  /** Pieces, of which the service says what they are worth, or an amount. */
  by: 'lines' | 'amount';
  lines: WantedLine[];
  amount: number | null;
  reason: string;
}

export const blankRequest = ({ items }: { items: readonly Pick<Order['items'][number], 'sku'>[] }): RefundForm => ({
  by: 'lines',
  lines: items.map(({ sku }) => ({ sku, quantity: null, restock: false })),
  amount: null,
  reason: '',
});

/** The lines that are sent, in their order: the service names them by their place among these. */
export const wantedOf = ({ lines }: RefundForm): WantedLine[] => lines.filter(({ quantity }) => quantity !== null);

/** What is sent: pieces or an amount, never both, so that no amount is worked out here. */
export function requestOf(form: RefundForm): RefundRequest {
  const reason = form.reason.trim();
  if (form.by === 'amount') return { amount: form.amount, reason };
  return { reason, lines: wantedOf(form).map(({ sku, quantity, restock }) => ({ sku, quantity: quantity ?? 0, restock })) };
}

export const isComplete = (form: RefundForm): boolean =>
  form.reason.trim() !== '' && (form.by === 'amount' ? form.amount !== null && form.amount > 0 : wantedOf(form).length > 0);

/** The refunds whose pieces count as refunded. */
const claiming = new Set<RefundStatus>(['requested', 'approved', 'unknown', 'settled']);

/** How many pieces of each line are in refunds already. */
export function piecesTaken(refunds: readonly Pick<Refund, 'status' | 'lines'>[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { status, lines } of refunds) {
    if (!claiming.has(status)) continue;
    for (const { sku, quantity } of lines) taken.set(sku, (taken.get(sku) ?? 0) + quantity);
  }
  return taken;
}

/** Whose refund was the last to take of what is left, for who came second; undefined where there is none. */
export const lastToTake = (refunds: readonly Refund[]): Refund | undefined => refunds.find(({ status }) => claiming.has(status));
