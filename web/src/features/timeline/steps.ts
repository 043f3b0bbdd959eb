import type { components } from '@/api';
import type { AuditEntry } from '@/features/audit/queries';
import type { IdempotencyKey } from '@/features/idempotency/queries';
import type { Movement } from '@/features/inventory/queries';
import type { Order, OrderEvent } from '@/features/orders/queries';
import type { Refund } from '@/features/refunds/queries';
import type { Entry } from '@/features/wallets/queries';

type CouponEvent = components['schemas']['CouponEvent'];
type Actor = components['schemas']['Actor'];

/** A part of one unit of work, from the request to the status. */
export type Part =
  | { kind: 'key'; entry: IdempotencyKey }
  | { kind: 'request'; entry: AuditEntry }
  | { kind: 'queue'; sale: number; ticket: string }
  | { kind: 'stock'; movement: Movement }
  | { kind: 'money'; userId: string; entry: Entry }
  | { kind: 'refund'; refund: Pick<Refund, 'id' | 'orderNo' | 'amount'>; to: Refund['status'] }
  | { kind: 'coupon'; code: string; event: Pick<CouponEvent, 'action' | 'to'> }
  | { kind: 'order'; order: Pick<Order, 'id' | 'orderNo'>; event: Pick<OrderEvent, 'action' | 'to'> };

export interface Happening {
  time: string;
  who: Actor | undefined;
  part: Part;
}

/** One unit of work. All its events have the same time. */
export interface Step {
  time: string;
  who: Actor | undefined;
  parts: Part[];
}

/** The order of the parts within a unit of work. */
const order: readonly Part['kind'][] = ['key', 'request', 'queue', 'stock', 'money', 'coupon', 'refund', 'order'];

const nameOf = (part: Part): string => {
  switch (part.kind) {
    case 'key':
    case 'request':
      return `${part.kind} ${part.entry.id}`;
    case 'queue':
      return `queue ${part.ticket}`;
    case 'stock':
      return `stock ${part.movement.sku} ${part.movement.id}`;
    case 'money':
      return `money ${part.userId} ${part.entry.id}`;
    case 'coupon':
      return `coupon ${part.code} ${part.event.action}`;
    case 'refund':
      return `refund ${part.refund.id} ${part.to}`;
    case 'order':
      return `order ${part.order.id} ${part.event.action}`;
  }
};

/** Groups events by time, newest first; each part appears once, in the order of the work. */
export function stepsOf(happenings: readonly Happening[]): Step[] {
  const steps = new Map<string, { who: Actor | undefined; parts: Map<string, Part> }>();
  for (const { time, who, part } of happenings) {
    const step = steps.get(time) ?? { who, parts: new Map<string, Part>() };
    step.who ??= who;
    step.parts.set(nameOf(part), part);
    steps.set(time, step);
  }
  // The service's times are in UTC with six fractional digits, so they can be compared as strings.
  return [...steps]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([time, { who, parts }]) => ({ time, who, parts: [...parts.values()].toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)) }));
}
