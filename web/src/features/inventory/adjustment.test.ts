import { expect, test } from 'vitest';
import { countedFrom, missingOf, openForm, preview, requestOf, type AdjustmentForm } from './adjustment';
import type { Stock } from './queries';

const stock = { sku: 'TEA-1', onHand: 120, reserved: 7, available: 113, version: 3 } as Stock;
const form = (change: Partial<AdjustmentForm> = {}): AdjustmentForm => ({ ...openForm(), changeFrom: stock.onHand, reason: 'Delivery', ...change });

test('a count is sent with the initial quantity despite later changes', () => {
  const counted = form({ way: 'count', setTo: 100 });
  expect(requestOf(counted)).toEqual({ setTo: 100, changeFrom: 120, reason: 'Delivery', reference: counted.reference });
});

test('a delta is sent without a count', () => {
  expect(requestOf(form({ delta: -3, setTo: 9, reason: ' Broken ' }))).toMatchObject({ delta: -3, reason: 'Broken' });
  expect(requestOf(form({ delta: -3 }))).not.toHaveProperty('setTo');
});

test('a draft count has its reference and initial quantity', () => {
  const typed = form({ way: 'count', setTo: 90, changeFrom: 80 });
  expect(countedFrom(stock)(typed)).toEqual(typed);
});

test('an uncounted form starts at the current quantity', () => {
  const typed = form({ way: 'count', setTo: null, changeFrom: 80 });
  expect(countedFrom(stock)(typed)).toEqual({ ...typed, changeFrom: 120 });
});

test('each dialog has a different reference', () => {
  expect(form().reference).not.toBe(form().reference);
});

test.each([
  [{ delta: null }, ['delta']],
  [{ delta: 0 }, ['delta']],
  [{ delta: 1 }, []],
  [{ way: 'count' as const, setTo: null }, ['setTo']],
  [{ way: 'count' as const, setTo: 0 }, []],
  [{ delta: 1, reason: '  ' }, ['reason']],
  [{ delta: 1, reference: '@reserved' }, ['reference']],
])('of %j is missing: %j', (change, missing) => {
  expect([...missingOf(form(change))]).toEqual(missing);
});

test('the preview changes available units by the change in stock', () => {
  expect(preview(form({ delta: -20 }), stock)).toEqual({ onHand: 100, available: 93 });
  expect(preview(form({ way: 'count', setTo: 130 }), stock)).toEqual({ onHand: 130, available: 123 });
  expect(preview(form(), stock)).toBeUndefined();
  expect(preview(form({ way: 'count', setTo: 130, changeFrom: 100 }), stock)).toBeUndefined();
});
