import { expect, test } from 'vitest';
import type { Stock } from '../queries';
import { changeOf, type StockForm } from '../adjustment';
import { adjustmentOf, isMissing } from './plan';

const stock = { sku: 'TEA', onHand: 20, available: 15 } as Stock;
const form: StockForm = { way: 'delta', delta: 5, setTo: null, reason: ' Delivery 4711 ', reference: 'delivery-4711' };
const about = { reason: 'Delivery 4711', reference: 'delivery-4711' };

test('each stock uses the value of its line or the common one', () => {
  expect(adjustmentOf(stock, form)).toEqual({ delta: 5, ...about });
  expect(adjustmentOf(stock, form, { delta: '+12', reason: 'Broken', reference: 'b-1' })).toEqual({ delta: 12, reason: 'Broken', reference: 'b-1' });
  expect(adjustmentOf(stock, { ...form, way: 'count' }, { setTo: '18' })).toEqual({ setTo: 18, changeFrom: 20, ...about });
});

test.each([
  ['delta', { delta: '0' }, { why: 'zero' }],
  ['delta', { delta: '1.5' }, { why: 'number', text: '1.5' }],
  ['delta', { delta: '5', reference: '@orders/1' }, { why: 'reference', text: '@orders/1' }],
  ['count', { setTo: '20' }, { why: 'same' }],
  ['count', { setTo: '-1' }, { why: 'number', text: '-1' }],
] as const)('by %s the line %j is skipped with its reason', (way, own, why) => {
  expect(adjustmentOf(stock, { ...form, way }, own)).toEqual(why);
});

test('undo of a count reverses its difference', () => {
  expect(changeOf({ setTo: 18, changeFrom: 20, ...about })).toBe(-2);
  expect(changeOf({ delta: 7, ...about })).toBe(7);
});

test('reason and reference are required, and a quantity without row values', () => {
  expect(isMissing(form, false)).toBe(false);
  expect(isMissing({ ...form, delta: null }, false)).toBe(true);
  expect(isMissing({ ...form, delta: null }, true)).toBe(false);
  expect(isMissing({ ...form, reason: ' ' }, true)).toBe(true);
  expect(isMissing({ ...form, reference: '@x' }, true)).toBe(true);
});
