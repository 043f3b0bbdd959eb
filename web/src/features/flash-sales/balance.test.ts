import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanceOf, places, resized, soldOutIn } from './balance';
import { selling } from './stats.fixture';

test('a sale with a correct sum is balanced', () => {
  expect(balanceOf(selling())).toEqual({ counted: 10_000, difference: 0, negative: [], holds: true });
});

test.each([
  { name: 'units that are nowhere are missing', change: { queued: 3115 }, difference: 3 },
  { name: 'units that are twice are too many', change: { confirmed: 4740 }, difference: -2 },
])('$name', ({ change, difference }) => {
  expect(balanceOf(selling(change))).toMatchObject({ difference, holds: false });
});

test('a negative count is named although the sum is correct', () => {
  expect(balanceOf(selling({ remaining: -58, queued: 5118 }))).toEqual({ counted: 10_000, difference: 0, negative: ['remaining'], holds: false });
});

test('an imbalance reported by the service is shown', () => {
  expect(balanceOf(selling({ balanced: false })).holds).toBe(false);
});

test('the surplus or shortage of any count is the difference', () => {
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.integer({ min: -1000, max: 1000 }), (place, change) => {
      const sound = selling();
      const { difference, holds } = balanceOf({ ...sound, [place]: sound[place] + change });
      expect(difference).toBe(0 - change);
      if (change !== 0) expect(holds).toBe(false);
    }),
  );
});

test('rejected and returned units are available again', () => {
  expect(balanceOf(selling({ rejected: 9999, returned: 9999 })).holds).toBe(true);
});

test('the time until sold out is the remainder at the current pace', () => {
  expect(soldOutIn('open', selling())).toBe(2);
  expect(soldOutIn('open', selling({ acceptedPerSecond: 0 }))).toBeUndefined();
  expect(soldOutIn('open', selling({ remaining: 0 }))).toBeUndefined();
  // The sales rate covers the last seconds, in which the sale may have been open.
  expect(soldOutIn('paused', selling())).toBeUndefined();
});

test.each([
  { name: 'units are added to what remains', delta: 500, quantity: 10_500, remaining: 2442, fault: undefined },
  { name: 'all that remains can be taken away', delta: -1942, quantity: 8058, remaining: 0, fault: undefined },
  { name: 'what somebody has bought cannot', delta: -1943, quantity: 8057, remaining: -1, fault: 'soldAlready' },
  { name: 'nothing is no change', delta: 0, quantity: 10_000, remaining: 1942, fault: 'nothing' },
  { name: 'more than a sale can have is refused', delta: 100_000_000, quantity: 100_010_000, remaining: 100_001_942, fault: 'tooMany' },
])('$name', ({ delta, quantity, remaining, fault }) => {
  expect(resized(10_000, selling(), delta)).toEqual({ quantity, remaining, fault });
});

test('a draft has at least one unit', () => {
  expect(resized(3, undefined, -3)).toEqual({ quantity: 0, remaining: undefined, fault: 'belowOne' });
});
