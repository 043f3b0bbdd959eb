import { expect, test } from 'vitest';
import type { Order } from '@/features/orders/queries';
import type { Refund } from '@/features/refunds/queries';
import type { Entry } from '@/features/wallets/queries';
import { happeningsOf, recordOf } from './happenings';

const order = (id: number, version: number, createdTime: string, updatedTime: string) => ({ id, version, createdTime, updatedTime }) as Order;
const refund = (id: number, version: number, createdTime: string, updatedTime: string) => ({ id, version, createdTime, updatedTime }) as Refund;
const entry = (id: number, createdTime: string) => ({ id, createdTime }) as Entry;

test('what happened stands newest first, orders and refunds once for their making and once for what became of them', () => {
  const told = happeningsOf(
    [order(2, 1, '2026-01-03T00:00:00Z', '2026-01-03T00:00:00Z'), order(1, 3, '2026-01-01T00:00:00.5Z', '2026-01-05T00:00:00Z')],
    [refund(5, 2, '2026-01-05T01:00:00Z', '2026-01-06T00:00:00Z'), refund(6, 1, '2026-01-07T00:00:00Z', '2026-01-07T00:00:00Z')],
    [entry(9, '2026-01-04T00:00:00Z'), entry(8, '2026-01-01T00:00:00Z')],
  );
  expect(told.map(({ id }) => id)).toEqual([
    'refund 6 requested',
    'refund 5 changed',
    'refund 5 requested',
    '1 changed',
    'entry 9',
    '2 placed',
    '1 placed',
    'entry 8',
  ]);
});

test.each([
  ['@orders/41/pay', 'orders/41'],
  ['@orders/41/refund', 'orders/41'],
  ['@refunds/12', 'refunds/12'],
  ['@refunds/12x', undefined],
  ['orders/41/pay', undefined],
  ['psp-1', undefined],
])('%s is of %s', (reference, record) => {
  expect(recordOf({ reference })).toBe(record);
});
