import { expect, test } from 'vitest';
import { recordOf } from './record';

test.each([
  ['@payments/17', 'payments/17'],
  ['@orders/41/pay', 'orders/41'],
  ['@orders/41/refund', 'orders/41'],
  ['@payments/17', 'payments/17'],
  ['@refunds/12', 'refunds/12'],
  ['@refunds/12x', undefined],
  ['orders/41/pay', undefined],
  ['psp-1', undefined],
])('%s is of %s', (reference, record) => {
  expect(recordOf({ reference })).toBe(record);
});
