import { useQueries, useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { readAuditLog } from '@/features/audit/queries';
import { readMovements } from '@/features/inventory/queries';
import { readRefunds } from '@/features/refunds/queries';
import { readEntries } from '@/features/wallets/queries';
import type { Order, OrderEvent } from '../queries';

/** What the service calls the act that moved stock in a step of an order. */
const stockActs: Partial<Record<OrderEvent['action'], string>> = { create: 'place', ship: 'ship', cancel: 'cancel' };

/** Of larger orders the first items only are asked for. */
const mostLines = 10;
/** So many refunds of an order are looked at for the one of its cancellation. */
const mostRefunds = 200;
/** Nothing is announced under this name: a step is never changed, and nor is what it did. */
const topic = 'order-effect';
const staleTime = Infinity;

/** The refund that a step of an order is of; undefined where it is of none. */
export function refundIn({ detail }: Pick<OrderEvent, 'detail'>): number | undefined {
  const { refundId } = detail as { refundId?: unknown };
  return typeof refundId === 'number' ? refundId : undefined;
}

/** What the service calls the movement of money in a step; that of a cancellation is its refund's, which says how it is called. */
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
  if (!isFromWallet) return undefined;
  switch (event.action) {
    case 'pay':
      return `@orders/${id}/pay`;
    case 'settle-refund':
      return `@refunds/${refundIn(event) ?? ''}`;
    case 'cancel':
      return data?.items.find(({ origin }) => origin === 'cancellation')?.reference ?? undefined;
    default:
      return undefined;
  }
}

/** What a step of an order did: the request that asked for it, the stock that it moved and the money that it took or gave. */
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
      // What a sale had sold was taken from the sale.
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
