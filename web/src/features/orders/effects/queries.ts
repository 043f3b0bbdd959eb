import { useQueries, useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { readAuditLog } from '@/features/audit/queries';
import { readMovements } from '@/features/inventory/queries';
import { readRefunds } from '@/features/refunds/queries';
import { readEntries } from '@/features/wallets/queries';
import type { Order, OrderEvent } from '../queries';

/** The service's name for the stock movement of an order transition. */
const stockActs: Partial<Record<OrderEvent['action'], string>> = { create: 'place', ship: 'ship', cancel: 'cancel' };

/** The maximum number of items of an order that are read. */
const mostLines = 10;
/** The maximum number of refunds of an order that are searched for the refund of its cancellation. */
const mostRefunds = 200;
/** A topic without events: a past transition and its effects never change. */
const topic = 'order-effect';
const staleTime = Infinity;

/** The id of the refund in an order event; undefined if there is none. */
export function refundIn({ detail }: Pick<OrderEvent, 'detail'>): number | undefined {
  const { refundId } = detail as { refundId?: unknown };
  return typeof refundId === 'number' ? refundId : undefined;
}

/** The reference of the wallet entry of a payment's event. */
export function debitIn({ detail }: Pick<OrderEvent, 'detail'>): string | undefined {
  const { paymentId, method } = detail as { paymentId?: unknown; method?: unknown };
  return typeof paymentId === 'number' && method === 'wallet' ? `@payments/${paymentId}` : undefined;
}

/** The reference of the wallet entry of an event. For a cancellation the entry belongs to its refund. */
function useMoneyReference(order: Order, event: OrderEvent): string | undefined {
  const mayRefunds = useMay()('refunds:read');
  const { id, version, payment } = order;
  const isFromWallet = payment?.method === 'wallet';
  const { data } = useQuery({
    queryKey: [topic, 'refund', id, version],
    queryFn: ({ signal }) => readRefunds({ orderId: id, limit: mostRefunds }, signal),
    enabled: event.action === 'cancel' && isFromWallet && mayRefunds,
    staleTime,
  });
  const debit = debitIn(event);
  if (debit !== undefined || !isFromWallet) return debit;
  switch (event.action) {
    case 'settle-refund':
      return `@refunds/${refundIn(event) ?? ''}`;
    case 'cancel':
      return data?.items.find(({ origin }) => origin === 'cancellation')?.reference ?? undefined;
    default:
      return undefined;
  }
}

/** The effects of an order event: the request, the stock movements and the wallet entries. */
export function useEffects(order: Order, event: OrderEvent) {
  const may = useMay();
  const { action, changedTime } = event;
  const stockAct = stockActs[action];
  const stockReference = action === 'settle-refund' ? `@refunds/${refundIn(event) ?? ''}` : stockAct && `@orders/${order.id}/${stockAct}`;
  const moneyReference = useMoneyReference(order, event);
  const audit = useQuery({
    queryKey: [topic, 'request', order.id, order.version],
    queryFn: ({ signal }) => readAuditLog({ resource: `orders/${order.id}`, limit: 50 }, signal),
    enabled: may('audit:read'),
    staleTime,
  }).data?.items.find((entry) => entry.createdTime === changedTime && entry.action === `order.${action}`);
  const movements = useQueries({
    queries: order.items.slice(0, mostLines).map(({ sku }) => ({
      queryKey: [topic, 'stock', order.id, sku, stockReference],
      queryFn: ({ signal }: { signal: AbortSignal }) => readMovements(sku, { reference: stockReference }, signal),
      // Units of a flash sale come from the sale, not from the stock.
      enabled: stockReference !== undefined && order.flashSaleId === null && may('inventory:read'),
      staleTime,
    })),
  }).flatMap(({ data }) => data?.items ?? []);
  const entries =
    useQuery({
      queryKey: [topic, 'money', order.id, moneyReference],
      queryFn: ({ signal }) => readEntries(order.userId, { reference: moneyReference }, signal),
      enabled: moneyReference !== undefined && may('wallets:read'),
      staleTime,
    }).data?.items ?? [];
  return { audit, movements, entries, stockReference };
}
