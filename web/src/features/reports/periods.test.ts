import { expect, test } from 'vitest';
import { periodsOn } from './periods';

test('periods cross the borders of months and years', () => {
  expect(periodsOn('2028-03-03')).toEqual({
    last7: { from: '2028-02-26', to: '2028-03-03' },
    last30: {},
    thisMonth: { from: '2028-03-01', to: '2028-03-03' },
    lastMonth: { from: '2028-02-01', to: '2028-02-29' },
    thisYear: { from: '2028-01-01', to: '2028-03-03' },
  });
  expect(periodsOn('2027-01-02')).toMatchObject({
    last7: { from: '2026-12-27', to: '2027-01-02' },
    lastMonth: { from: '2026-12-01', to: '2026-12-31' },
  });
});
