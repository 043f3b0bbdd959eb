import { useQueries, useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { readAuditLog } from '@/features/audit/queries';
import { readMovements } from '@/features/inventory/queries';
import { readRefunds } from '@/features/refunds/queries';
import { readEntries } from '@/features/wallets/queries';
import type { Order, OrderEvent } from '../queries';

/** The maximum number of items of an order that are read. */
const maxLines = 10;
/** The maximum number of refunds of an order that are searched for the refund of its cancellation. */
const maxRefunds = 200;
/** A topic without events: a past transition and its effects never change. */
const topic = 'order-effect';
const staleTime = Infinity;

/** The ids of the records in an order event. */
export function idsIn({ detail }: Pick<OrderEvent, 'detail'>): { refund?: number; payment?: number; shipment?: number; returned?: number } {
  const { refundId, paymentId, shipmentId, returnId } = detail as Readonly<Record<string, unknown>>;
  const id = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return { refund: id(refundId), payment: id(paymentId), shipment: id(shipmentId), returned: id(returnId) };
}

/** The reference of the stock movements of an event; undefined if it moves no stock. */
export function stockReferenceOf(order: Pick<Order, 'id'>, event: OrderEvent): string | undefined {
  const { refund, shipment, returned } = idsIn(event);
  if (shipment !== undefined) return `@shipments/${shipment}`;
  switch (event.action) {
    case 'create':
      return `@orders/${order.id}/place`;
    case 'cancel':
      return `@orders/${order.id}/cancel`;
    case 'settle-refund':
      return `@refunds/${refund ?? ''}`;
    case 'receive-return':
      return `@returns/${returned ?? ''}`;
    default:
      return undefined;
  }
}

/** The reference of the wallet entry of a payment; undefined for other events and for payments from outside. */
export function debitIn(event: Pick<OrderEvent, 'detail'>): string | undefined {
  const { payment } = idsIn(event);
  return payment !== undefined && (event.detail as { method?: unknown }).method === 'wallet' ? `@payments/${payment}` : undefined;
}

/** The references of the wallet entries of an event. For a cancellation the entries belong to its refunds. */
function useMoneyReferences(order: Order, event: OrderEvent): string[] {
  const mayRefunds = useMay()('refunds:read');
  const { id, version, paid } = order;
  const { refund } = idsIn(event);
  const { data } = useQuery({
    queryKey: [topic, 'refund', id, version],
    queryFn: ({ signal }) => readRefunds({ orderId: id, limit: maxRefunds }, signal),
    enabled: event.action === 'cancel' && paid > 0 && mayRefunds,
    staleTime,
  });
  const debit = debitIn(event);
  if (debit !== undefined) return [debit];
  if (event.action === 'settle-refund') return [`@refunds/${refund ?? ''}`];
  const isCredit = ({ origin, method }: { origin: string; method: string }) => origin === 'cancellation' && method === 'wallet';
  return event.action === 'cancel' ? (data?.items.filter(isCredit).map((one) => `@refunds/${one.id}`) ?? []) : [];
}

/** The effects of an order event: the request, the stock movements and the wallet entries. */
export function useEffects(order: Order, event: OrderEvent) {
  const may = useMay();
  const { action, changedTime } = event;
  const stockReference = stockReferenceOf(order, event);
  const moneyReferences = useMoneyReferences(order, event);
  const audit = useQuery({
    queryKey: [topic, 'request', order.id, order.version],
    queryFn: ({ signal }) => readAuditLog({ resource: `orders/${order.id}`, limit: 50 }, signal),
    enabled: may('audit:read'),
    staleTime,
  }).data?.items.find((entry) => entry.createdTime === changedTime && entry.action === `order.${action}`);
  const movements = useQueries({
    queries: order.items.slice(0, maxLines).map(({ sku }) => ({
      queryKey: [topic, 'stock', order.id, sku, stockReference],
      queryFn: ({ signal }: { signal: AbortSignal }) => readMovements(sku, { reference: stockReference }, signal),
      // Units of a flash sale come from the sale, not from the stock.
      enabled: stockReference !== undefined && order.flashSaleId === null && may('inventory:read'),
      staleTime,
    })),
  }).flatMap(({ data }) => data?.items ?? []);
  const entries = useQueries({
    queries: moneyReferences.map((reference) => ({
      queryKey: [topic, 'money', order.id, reference],
      queryFn: ({ signal }: { signal: AbortSignal }) => readEntries(order.userId, { reference }, signal),
      enabled: may('wallets:read'),
      staleTime,
    })),
  }).flatMap(({ data }) => data?.items ?? []);
  return { audit, movements, entries, stockReference };
}
