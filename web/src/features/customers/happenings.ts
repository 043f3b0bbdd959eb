import type { Order } from '@/features/orders/queries';
import type { Entry } from '@/features/wallets/queries';

/** One thing that happened to a customer. */
export type Happening = { id: string; time: string; kind: 'placed' | 'changed'; order: Order } | { id: string; time: string; kind: 'money'; entry: Entry };

/** What happened by orders and by the wallet, newest first. An order that was changed since it was placed is there twice. */
export function happeningsOf(orders: readonly Order[], entries: readonly Entry[]): Happening[] {
  const ofOrders = orders.flatMap((order): Happening[] => {
    const placed: Happening = { id: `${order.id} placed`, time: order.createdTime, kind: 'placed', order };
    return order.version === 1 ? [placed] : [{ id: `${order.id} changed`, time: order.updatedTime, kind: 'changed', order }, placed];
  });
  const ofMoney = entries.map((entry): Happening => ({ id: `entry ${entry.id}`, time: entry.createdTime, kind: 'money', entry }));
  // What shares a moment was done in one unit: the money comes before the status that it made.
  return [...ofOrders, ...ofMoney].toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
}

/** The order that an entry of the service's own was made for: its reference is @orders/41/pay. */
export function orderOf({ reference }: Pick<Entry, 'reference'>): number | undefined {
  const [, id] = /^@orders\/(\d+)\//.exec(reference) ?? [];
  return id === undefined ? undefined : Number(id);
}
