import { expect, test } from 'vitest';
import type { Order } from '@/features/orders/queries';
import type { Entry } from '@/features/wallets/queries';
import { happeningsOf, orderOf } from './happenings';

const order = (id: number, version: number, createdTime: string, updatedTime: string) => ({ id, version, createdTime, updatedTime }) as Order;
const entry = (id: number, createdTime: string) => ({ id, createdTime }) as Entry;

test('what happened stands newest first, an order once for its placing and once for what became of it', () => {
  const told = happeningsOf(
    [order(2, 1, '2026-01-03T00:00:00Z', '2026-01-03T00:00:00Z'), order(1, 3, '2026-01-01T00:00:00.5Z', '2026-01-05T00:00:00Z')],
    [entry(9, '2026-01-04T00:00:00Z'), entry(8, '2026-01-01T00:00:00Z')],
  );
  expect(told.map(({ id }) => id)).toEqual(['1 changed', 'entry 9', '2 placed', '1 placed', 'entry 8']);
});

test.each([
  ['@orders/41/pay', 41],
  ['@orders/41/refund', 41],
  ['orders/41/pay', undefined],
  ['psp-1', undefined],
])('%s is of order %s', (reference, id) => {
  expect(orderOf({ reference })).toBe(id);
});
