import { expect, test } from 'vitest';
import { blankReceipt, faultsOf, isUnmatched, receiptOf, type ReceiptForm } from './receipt';

const order = { amount: 6000, due: 2000 };
const form = (part: Partial<ReceiptForm>): ReceiptForm => ({ ...blankReceipt(order), reference: 'PSP-1', ...part });

test('a payment is of the due amount by default', () => {
  expect(receiptOf(form({ reference: ' PSP-1 ' }), order, 'key')).toEqual({ method: 'external', reference: 'PSP-1', amount: 2000 });
  expect(receiptOf(form({ provider: ' stripe ' }), order, 'key')).toMatchObject({ provider: 'stripe' });
});

test('a wallet payment has the key as its reference and no provider', () => {
  expect(receiptOf(form({ method: 'wallet', provider: 'stripe' }), order, 'key')).toEqual({ method: 'wallet', reference: 'key', amount: 2000 });
});

test('an order without an amount is paid without one', () => {
  const free = { amount: 0, due: 0 };
  expect(faultsOf(form({ amount: 0 }), free)).toEqual({});
  expect(receiptOf(form({ amount: 0 }), free, 'key')).toEqual({ method: 'external', reference: 'PSP-1' });
});

test.each([
  ['complete', {}, {}, false],
  ['without a reference', { reference: ' ' }, { reference: 'needed' }, false],
  ['from the wallet without a reference', { method: 'wallet', reference: '' }, {}, false],
  ['without an amount', { amount: null }, { amount: 'amountNeeded' }, false],
  ['of nothing', { amount: 0 }, { amount: 'amountNeeded' }, false],
  ['above the due amount', { amount: 2001 }, {}, true],
  ['above the due amount from the wallet', { method: 'wallet', amount: 2001 }, { amount: 'amountMax' }, false],
] as const)('a payment %s', (_, part, faults, unmatched) => {
  expect(faultsOf(form(part), order)).toEqual(faults);
  expect(isUnmatched(form(part), order)).toBe(unmatched);
});
