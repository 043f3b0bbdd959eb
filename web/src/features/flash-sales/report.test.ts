import { expect, test } from 'vitest';
import { reportOf } from './report';
import { statsOf } from './stats.fixture';

const sale = { price: 1990, quantity: 100, startsTime: '2026-01-31T10:00:00Z' };
const start = Date.parse(sale.startsTime);
const sample = (minute: number, remaining: number, allotted = 100) => ({ at: start + minute * 60_000, stats: statsOf({ remaining, allotted }) });
const soldOut = statsOf({ remaining: 0, confirmed: 100 });

test('a sale that ends with unsold units is not sold out', () => {
  const closed = statsOf({ confirmed: 40, remaining: 0, allotted: 40 });
  expect(reportOf(sale, closed, [sample(0, 60), sample(1, 0, 40)])).toEqual({ sold: 40, unsold: 60, revenue: 79_600, soldOutAfter: undefined });
});

test('units and revenue exclude cancelled orders', () => {
  expect(reportOf(sale, statsOf({ confirmed: 40, remaining: 60 }), [sample(0, 100)])).toEqual({
    sold: 40,
    unsold: 60,
    revenue: 79_600,
    soldOutAfter: undefined,
  });
});

test.each([
  ['the first sample without units after the last with units', [sample(0, 100), sample(1, 0), sample(2, 3), sample(3, 0), sample(4, 0)], 180_000],
  ['the last sell-out before units of cancelled orders returned to stock', [sample(0, 100), sample(1, 0), sample(2, 1), sample(3, 0, 99)], 60_000],
  ['unknown if the samples begin later', [sample(50, 0), sample(60, 0)], undefined],
  ['unknown without samples', [], undefined],
  ['unknown if no later sample exists', [sample(0, 100)], undefined],
] as const)('the time of the sell-out is %s', (_, samples, after) => {
  expect(reportOf(sale, soldOut, samples).soldOutAfter).toBe(after);
});
