import { useQueries, useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { readAuditLog } from '@/features/audit/queries';
import { readMovements } from '@/features/inventory/queries';
import { readEntries } from '@/features/wallets/queries';
import type { Order, OrderEvent } from '../queries';

/** What the service calls the act that moved stock in a step of an order, and money. */
const stockActs: Partial<Record<OrderEvent['action'], string>> = { create: 'place', ship: 'ship', cancel: 'cancel' };
const moneyActs: Partial<Record<OrderEvent['action'], string>> = { pay: 'pay', cancel: 'refund' };

/** Of larger orders the first items only are asked for. */
const mostLines = 10;
/** Nothing is announced under this name: a step is never changed, and nor is what it did. */
const topic = 'order-effect';
const staleTime = Infinity;

/** What a step of an order did: the request that asked for it, the stock that it moved and the money that it took or gave. */
export function useEffects(order: Order, { action, changedTime }: OrderEvent) {
  const may = useMay();
  const [stockAct, moneyAct] = [stockActs[action], moneyActs[action]];
  const audit = useQuery({
    queryKey: [topic, 'request', order.id, order.version],
    queryFn: ({ signal }) => readAuditLog({ resource: `orders/${order.id}`, limit: 50 }, signal),
    enabled: may('audit:read'),
    staleTime,
  }).data?.items.find((entry) => entry.createdTime === changedTime && entry.action === `order.${action}`);
  const movements = useQueries({
    queries: order.items.slice(0, mostLines).map(({ sku }) => ({
      queryKey: [topic, 'stock', order.id, sku, stockAct],
      queryFn: ({ signal }: { signal: AbortSignal }) => readMovements(sku, { reference: `@orders/${order.id}/${stockAct ?? ''}` }, signal),
      // What a sale had sold was taken from the sale.
      enabled: stockAct !== undefined && order.flashSaleId === null && may('inventory:read'),
      staleTime,
    })),
  }).flatMap(({ data }) => data?.items ?? []);
  const entries =
    useQuery({
      queryKey: [topic, 'money', order.id, moneyAct],
      queryFn: ({ signal }) => readEntries(order.userId, { reference: `@orders/${order.id}/${moneyAct ?? ''}` }, signal),
      enabled: moneyAct !== undefined && order.payment?.method === 'wallet' && may('wallets:read'),
      staleTime,
    }).data?.items ?? [];
  return { audit, movements, entries };
}
