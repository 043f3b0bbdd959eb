import { isProblem } from '@/api';
import { readEntriesOf, type AuditEntry } from '@/features/audit/queries';
import { readCoupon, readCouponPart, readCoupons } from '@/features/coupons/queries';
import type { TimelineKind } from '@/features/descriptor';
import { resourceIn } from '@/features/resources';
import { readTicket } from '@/features/flash-sales/queries';
import { readKeys } from '@/features/idempotency/queries';
import { readMovements } from '@/features/inventory/queries';
import { debitIn, stockReferenceOf } from '@/features/orders/effects/queries';
import { readOrder, readOrderPart, readOrders, type Order } from '@/features/orders/queries';
import { readRefunds, type Refund } from '@/features/refunds/queries';
import { readEntries } from '@/features/wallets/queries';
import { inParallel } from '@/ui';
import type { Happening } from './steps';

/** The subject of a timeline. */
export interface Subject {
  kind: TimelineKind;
  /** The id of the subject in the search, such as an order id, a ticket or a key. */
  id: string;
  /** The sale of a ticket; undefined for other subjects. */
  sale?: number;
}

export type May = (permission: string) => boolean;

const page = 50;
const atOnce = 4;
/** The maximum number of items of an order that are read. */
const maxLines = 10;
/** The maximum time between a request and its work, in ms: it may be retried, and may wait for a lock. */
const patience = 600_000;

/** The maximum number of audit entries that are searched for a time or a key. */
const maxEntries = 2000;

/** Collects the events of a subject and of its related records, as far as the user may read them. */
export class Collector {
  constructor(
    private readonly may: May,
    private readonly signal: AbortSignal,
  ) {}

  of({ kind, id, sale }: Subject): Promise<Happening[]> {
    switch (kind) {
      case 'order':
        return this.order(Number(id));
      case 'user':
        return this.customer(id);
      case 'item':
        return this.item(id);
      case 'coupon':
        return this.coupon(id);
      case 'ticket':
        return this.ticket(sale ?? 0, id);
      case 'idempotency-key':
        return this.key(id);
    }
  }

  /** An order from its request to its status, with stock, money, coupon and ticket. */
  private async order(id: number): Promise<Happening[]> {
    const { signal } = this;
    if (!this.may('orders:read')) return [];
    const [order, history] = await Promise.all([readOrder(id, signal), readOrderPart(id, 'history', { limit: page }, signal)]);
    const { orderNo, flashSaleId, ticket, couponCode } = order;
    const steps = history.items.map((event): Happening => ({
      time: event.changedTime,
      who: event.changedBy,
      part: { kind: 'order', order: { id, orderNo }, event },
    }));
    const placed = history.items.find(({ action }) => action === 'create');
    if (placed !== undefined && ticket !== null && flashSaleId !== null)
      steps.push({ time: placed.changedTime, who: placed.changedBy, part: { kind: 'queue', sale: flashSaleId, ticket } });
    const hasRefund = history.items.some(({ action }) => action === 'cancel' || action.endsWith('-refund'));
    const refunds = hasRefund && this.may('refunds:read') ? (await readRefunds({ orderId: id, limit: page }, signal)).items : [];
    const ofRefunds = refunds.map((refund) => refund.reference ?? `@refunds/${refund.id}`);
    // Units of a flash sale come from the sale, not from the stock.
    const moved = flashSaleId === null ? history.items.flatMap((event) => stockReferenceOf(order, event) ?? []) : [];
    steps.push(...refunds.flatMap(ofRefund));
    const further = await Promise.all([
      this.audit(`orders/${id}`),
      this.stock(order, [...new Set([...moved, ...refunds.map((refund) => `@refunds/${refund.id}`)])]),
      this.money(order.userId, [...history.items.flatMap((event) => debitIn(event) ?? []), ...ofRefunds]),
      couponCode === null ? [] : this.couponSteps(couponCode),
      flashSaleId === null || placed === undefined ? [] : this.auditAt(`flash-sales/${flashSaleId}`, placed.changedTime),
    ]);
    return [...steps, ...further.flat()];
  }

  private async stock({ items }: Order, references: readonly string[]): Promise<Happening[]> {
    if (!this.may('inventory:read')) return [];
    const pairs = items.slice(0, maxLines).flatMap(({ sku }) => references.map((reference) => ({ sku, reference })));
    const found = await inParallel(pairs, atOnce, ({ sku, reference }) => readMovements(sku, { reference }, this.signal));
    return found.flatMap((list) =>
      list.items.map((movement): Happening => ({ time: movement.createdTime, who: movement.createdBy, part: { kind: 'stock', movement } })),
    );
  }

  private async money(userId: string, references: readonly string[]): Promise<Happening[]> {
    if (!this.may('wallets:read')) return [];
    const found = await inParallel(references, atOnce, (reference) => readEntries(userId, { reference }, this.signal));
    return found.flatMap(({ items }) =>
      items.map((entry): Happening => ({ time: entry.createdTime, who: entry.createdBy, part: { kind: 'money', userId, entry } })),
    );
  }

  /** The orders, refunds, wallet entries and coupons of a customer, and the requests made in the customer's name. */
  private async customer(userId: string): Promise<Happening[]> {
    const { signal } = this;
    const [orders, entries, coupons, requests, refunds] = await Promise.all([
      this.may('orders:read') ? readOrders({ userId, limit: page, sort: '-id' }, signal) : undefined,
      this.may('wallets:read') ? readEntries(userId, { limit: page }, signal) : undefined,
      this.may('coupons:read') ? readCoupons({ userId, limit: page }, signal) : undefined,
      this.may('audit:read') ? readEntriesOf({ actor: userId, limit: page }, signal) : undefined,
      this.may('refunds:read') ? readRefunds({ userId, limit: page, sort: '-id' }, signal) : undefined,
    ]);
    const steps: Happening[] = (requests?.items ?? []).filter(({ actorKind }) => actorKind === 'customer').map(asRequest);
    for (const order of orders?.items ?? []) {
      const placed = { kind: 'order', order, event: { action: 'create', to: 'pending' } } as const;
      steps.push({ time: order.createdTime, who: order.version === 1 ? order.updatedBy : undefined, part: placed });
      const last = ({ pending: 'create', paid: 'pay', shipped: 'ship', completed: 'complete', cancelled: 'cancel' } as const)[order.status];
      if (last !== 'create')
        steps.push({ time: order.updatedTime, who: order.updatedBy, part: { kind: 'order', order, event: { action: last, to: order.status } } });
      if (order.ticket !== null && order.flashSaleId !== null)
        steps.push({ time: order.createdTime, who: undefined, part: { kind: 'queue', sale: order.flashSaleId, ticket: order.ticket } });
    }
    steps.push(...(refunds?.items ?? []).flatMap(ofRefund));
    for (const entry of entries?.items ?? []) steps.push({ time: entry.createdTime, who: entry.createdBy, part: { kind: 'money', userId, entry } });
    const further = await inParallel(coupons?.items.slice(0, maxLines) ?? [], atOnce, ({ code }) => this.couponSteps(code));
    return [...steps, ...further.flat()];
  }

  /** The stock movements and the changes of an item. */
  private async item(sku: string): Promise<Happening[]> {
    const [movements, ...requests] = await Promise.all([
      this.may('inventory:read') ? readMovements(sku, { limit: page }, this.signal).catch(orNothing) : undefined,
      this.audit(`items/${sku}`),
      this.audit(`inventory/${sku}`),
    ]);
    const moved = (movements?.items ?? []).map((movement): Happening => ({
      time: movement.createdTime,
      who: movement.createdBy,
      part: { kind: 'stock', movement },
    }));
    return [...moved, ...requests.flat()];
  }

  private async coupon(code: string): Promise<Happening[]> {
    if (!this.may('coupons:read')) return [];
    const { orderId, campaignId } = await readCoupon(code, this.signal);
    const [events, requests, ofOrder] = await Promise.all([this.couponSteps(code), this.audit(`coupons/${code}`), orderId === null ? [] : this.order(orderId)]);
    const issued = events.find(({ part }) => part.kind === 'coupon' && part.event.action === 'issue');
    const issuing = issued === undefined ? [] : await this.auditAt(`coupon-campaigns/${campaignId}`, issued.time);
    return [...events, ...requests, ...issuing, ...ofOrder];
  }

  private async couponSteps(code: string): Promise<Happening[]> {
    if (!this.may('coupons:read')) return [];
    const { items } = await readCouponPart(code, 'history', { limit: page }, this.signal);
    return items.map((event): Happening => ({ time: event.changedTime, who: event.changedBy, part: { kind: 'coupon', code, event } }));
  }

  /** The timeline of the order of a ticket. A queued ticket has no order yet. */
  private async ticket(sale: number, ticket: string): Promise<Happening[]> {
    const { orderId } = await readTicket(sale, ticket, this.signal);
    return orderId === undefined ? [] : this.order(orderId);
  }

  /** The requests under a key, and the timelines of the records that they changed. */
  private async key(key: string): Promise<Happening[]> {
    const stored = await readKeys({ key, limit: page }, this.signal);
    const further = await inParallel(stored.items, atOnce, async (entry) => {
      const own: Happening = { time: entry.createdTime, who: entry.actor, part: { kind: 'key', entry } };
      const [from, to] = [shifted(entry.createdTime, -patience), shifted(entry.createdTime, patience)];
      const entries = await this.auditWhere({ actor: String(entry.actor.id), from, to });
      const changed = entries.filter(({ idempotencyKey }) => idempotencyKey === key);
      const records = [...new Set(changed.map(({ resource }) => resource))];
      const chains = await inParallel(records, atOnce, (resource) => this.record(resource));
      return [own, ...changed.map(asRequest), ...chains.flat()];
    });
    return further.flat();
  }

  /** The timeline of a record in an audit entry; empty if its kind has none. */
  private record(resource: string): Promise<Happening[]> {
    const [folder = '', ...rest] = resource.split('/');
    const kind = resourceIn(folder)?.timeline;
    const id = decodeURIComponent(rest.join('/'));
    return kind === undefined || id === '' ? Promise.resolve([]) : this.of({ kind, id });
  }

  private async audit(resource: string): Promise<Happening[]> {
    if (!this.may('audit:read')) return [];
    return (await readEntriesOf({ resource, limit: page }, this.signal)).items.map(asRequest);
  }

  /** The audit entries at an exact time: those of the unit of work that changed the resource. */
  private async auditAt(resource: string, time: string): Promise<Happening[]> {
    const found = await this.auditWhere({ resource, from: shifted(time, -1), to: shifted(time, 1) });
    return found.filter(({ createdTime }) => createdTime === time).map(asRequest);
  }

  private async auditWhere(where: { resource?: string; actor?: string; from: string; to: string }): Promise<AuditEntry[]> {
    if (!this.may('audit:read')) return [];
    const found: AuditEntry[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await readEntriesOf({ ...where, limit: 200, cursor }, this.signal);
      found.push(...items);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined && found.length < maxEntries);
    return found;
  }
}

const shifted = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

/** A refund appears at its request, and again at its latest change. */
function ofRefund(refund: Refund): Happening[] {
  const requested: Happening = { time: refund.createdTime, who: refund.requestedBy, part: { kind: 'refund', refund, to: 'requested' } };
  if (refund.version === 1) return [requested];
  return [requested, { time: refund.updatedTime, who: refund.updatedBy, part: { kind: 'refund', refund, to: refund.status } }];
}

const asRequest = (entry: AuditEntry): Happening => ({ time: entry.createdTime, who: entry.actor, part: { kind: 'request', entry } });

function orNothing(problem: unknown): undefined {
  if (!isProblem(problem, 'not_found')) throw problem;
}
