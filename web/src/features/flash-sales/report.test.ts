import { expect, test } from 'vitest';
import { reportOf } from './report';

const sale = { price: 1990, quantity: 100, startsTime: '2026-01-31T10:00:00Z' };
const lastOrder = '2026-01-31T12:03:00Z';

test('a sale with unsold units was not sold out', () => {
  expect(reportOf(sale, { confirmed: 40 }, lastOrder)).toEqual({ sold: 40, unsold: 60, revenue: 79_600, soldOutAfter: undefined });
});

test('a sale was sold out at its last order', () => {
  expect(reportOf(sale, { confirmed: 100 }, lastOrder)).toEqual({ sold: 100, unsold: 0, revenue: 199_000, soldOutAfter: 123 * 60_000 });
});

test.each([null, undefined])('without a last order (%s) the time of the sell-out is unknown', (unknown) => {
  expect(reportOf(sale, { confirmed: 100 }, unknown).soldOutAfter).toBeUndefined();
});
