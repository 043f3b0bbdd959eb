import type { Order } from '@/features/orders/queries';
import { claiming, type RequestedLine } from './request';
import type { Refund } from './queries';

type Line = Pick<Order['items'][number], 'sku' | 'price' | 'quantity'>;

/**
 * The shares of the lines in the amount, without shipping and tax, in minor units: the service
 * divides the discount among the lines by the largest-remainder method, and so does this preview.
 */
export function sharesOf(lines: readonly Line[], discount: number): bigint[] {
  const gross = lines.map(({ price, quantity }) => BigInt(price) * BigInt(quantity));
  const sum = gross.reduce((total, one) => total + one, 0n);
  if (sum === 0n) return gross;
  const quotas = gross.map((one) => BigInt(discount) * one);
  const parts = quotas.map((quota) => quota / sum);
  const left = Number(BigInt(discount) - parts.reduce((total, one) => total + one, 0n));
  const byRemainder = quotas
    .map((quota, i) => ({ i, remainder: quota % sum }))
    .toSorted((a, b) => (a.remainder === b.remainder ? a.i - b.i : a.remainder > b.remainder ? -1 : 1));
  for (const { i } of byRemainder.slice(0, left)) parts[i] = (parts[i] ?? 0n) + 1n;
  return gross.map((one, i) => one - (parts[i] ?? 0n));
}

/** The value of the next units of lines, after the units that other refunds contain, in minor units. */
export function worthOf(
  { items, discount }: { items: readonly Line[]; discount: number },
  refunds: readonly Pick<Refund, 'status' | 'lines'>[],
  requested: readonly Pick<RequestedLine, 'sku' | 'quantity'>[],
): number {
  const shares = sharesOf(items, discount);
  const before = refunds.filter(({ status }) => claiming.has(status)).flatMap(({ lines }) => lines);
  const worths = requested.map(({ sku, quantity }) => {
    const at = items.findIndex((item) => item.sku === sku);
    const claimed = before.filter((line) => line.sku === sku);
    const units = claimed.reduce((sum, line) => sum + line.quantity, quantity ?? 0);
    const upTo = Number(((shares[at] ?? 0n) * BigInt(units)) / BigInt(items[at]?.quantity ?? 1));
    return Math.max(
      claimed.reduce((left, { worth }) => left - worth, upTo),
      0,
    );
  });
  return worths.reduce((sum, worth) => sum + worth, 0);
}
