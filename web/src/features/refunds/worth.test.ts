import { expect, test } from 'vitest';
import type { Refund } from './queries';
import { sharesOf, worthOf } from './worth';

const line = (sku: string, price: number, quantity: number) => ({ sku, price, quantity });

test.each([
  ['without a discount', [line('A', 100, 3)], 0, [300]],
  ['in proportion', [line('A', 100, 3), line('B', 100, 1)], 100, [225, 75]],
  ['the remainder to the largest remainder', [line('A', 100, 1), line('B', 100, 1), line('C', 100, 2)], 2, [99, 100, 199]],
  ['of equal remainders to the earlier line', [line('A', 100, 1), line('B', 100, 1), line('C', 100, 1)], 1, [99, 100, 100]],
  ['of an order without an amount', [line('A', 0, 1)], 0, [0]],
])('the discount is divided %s', (_, lines, discount, shares) => {
  expect(sharesOf(lines, discount).map(Number)).toEqual(shares);
});

const refund = (status: Refund['status'], quantity: number, worth: number) =>
  ({ status, lines: [{ sku: 'A', quantity, worth, name: '', restock: false }] }) as Pick<Refund, 'status' | 'lines'>;

test('the last units of a line include the rounding differences', () => {
  const order = { items: [line('A', 100, 3)], discount: 1 };
  expect(worthOf(order, [], [{ sku: 'A', quantity: 1 }])).toBe(99);
  expect(worthOf(order, [refund('settled', 1, 99)], [{ sku: 'A', quantity: 2 }])).toBe(200);
  expect(worthOf(order, [refund('rejected', 1, 99)], [{ sku: 'A', quantity: 3 }])).toBe(299);
});
