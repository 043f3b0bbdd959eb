import type { Order } from '@/features/orders/queries';
import type { Refund } from '@/features/refunds/queries';
import type { Entry } from '@/features/wallets/queries';

/** One thing that happened to a customer. */
export type Happening =
  | { id: string; time: string; kind: 'placed' | 'changed'; order: Order }
  | { id: string; time: string; kind: 'refundRequested' | 'refundChanged'; refund: Refund }
  | { id: string; time: string; kind: 'money'; entry: Entry };

/** What happened by orders, refunds and the wallet, newest first. What was changed since it was made is there twice. */
export function happeningsOf(orders: readonly Order[], refunds: readonly Refund[], entries: readonly Entry[]): Happening[] {
  const ofOrders = orders.flatMap((order): Happening[] => {
    const placed: Happening = { id: `${order.id} placed`, time: order.createdTime, kind: 'placed', order };
    return order.version === 1 ? [placed] : [{ id: `${order.id} changed`, time: order.updatedTime, kind: 'changed', order }, placed];
  });
  const ofRefunds = refunds.flatMap((refund): Happening[] => {
    const requested: Happening = { id: `refund ${refund.id} requested`, time: refund.createdTime, kind: 'refundRequested', refund };
    return refund.version === 1 ? [requested] : [{ id: `refund ${refund.id} changed`, time: refund.updatedTime, kind: 'refundChanged', refund }, requested];
  });
  const ofMoney = entries.map((entry): Happening => ({ id: `entry ${entry.id}`, time: entry.createdTime, kind: 'money', entry }));
  // What shares a moment was done in one unit: the money comes before the status that it made.
  return [...ofOrders, ...ofRefunds, ...ofMoney].toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
}

/** The record that an entry of the service's own was made for: its reference is @orders/41/pay or @refunds/12. */
export function recordOf({ reference }: Pick<Entry, 'reference'>): string | undefined {
  return /^@((?:orders|refunds)\/\d+)(?:\/|$)/.exec(reference)?.[1];
}
