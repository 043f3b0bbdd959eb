import { expect, test } from 'vitest';
import { blankOpening, isComplete, isLink, linksOf, requestOf } from './opening';

test.each([
  ['orders/41', true],
  ['configs/checkout.tax', true],
  ['coupon-campaigns/7', true],
  ['aggregates/cart/17', true],
  ['orders', false],
  ['Orders/41', false],
  ['orders/four one', false],
  [`orders/${'4'.repeat(255)}`, false],
])('validity of %s as a link', (path, names) => {
  expect(isLink(path)).toBe(names);
});

test('each link is sent once despite spaces', () => {
  const form = { ...blankOpening('orders/41'), title: ' Broken ', links: 'orders/41\n refunds/2  orders/41\n' };
  expect(linksOf(form)).toEqual(['orders/41', 'refunds/2']);
  expect(requestOf(form)).toEqual({ title: 'Broken', body: '', priority: 'normal', dueTime: null, links: ['orders/41', 'refunds/2'] });
});

test('a title is required, and links must name records', () => {
  const form = { ...blankOpening(), title: 'Broken' };
  expect(isComplete(form)).toBe(true);
  expect(isComplete({ ...form, title: ' ' })).toBe(false);
  expect(isComplete({ ...form, links: 'nothing' })).toBe(false);
  expect(isComplete({ ...form, links: Array.from({ length: 21 }, (_, i) => `orders/${i}`).join(' ') })).toBe(false);
});
