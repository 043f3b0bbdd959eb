import { expect, test } from 'vitest';
import type { Refund } from './queries';
import { blankRequest, isComplete, maxAmountOf, reservingRefund, unitsRequested, requestOf, type RefundForm } from './request';

const order = { items: ['TEA', 'POT'].map((sku) => ({ sku, name: sku, quantity: 3, price: 100 })) };
const form = (over: Partial<RefundForm>): RefundForm => ({ ...blankRequest(order), reason: ' It broke. ', ...over });

test('units are sent without an amount, for chosen lines only', () => {
  const request = form({
    amount: 500,
    lines: [
      { sku: 'TEA', quantity: null, restock: true },
      { sku: 'POT', quantity: 2, restock: true },
    ],
  });
  expect(requestOf(request)).toEqual({ reason: 'It broke.', lines: [{ sku: 'POT', quantity: 2, restock: true }] });
});

test('an amount is sent without units', () => {
  const request = form({ by: 'amount', amount: 1740, lines: [{ sku: 'TEA', quantity: 1, restock: true }] });
  expect(requestOf(request)).toEqual({ reason: 'It broke.', amount: 1740 });
});

test.each([
  ['nothing is selected', form({}), false],
  ['units are selected', form({ lines: [{ sku: 'TEA', quantity: 1, restock: false }] }), true],
  ['an amount is missing', form({ by: 'amount' }), false],
  ['the amount is zero', form({ by: 'amount', amount: 0 }), false],
  ['an amount is entered', form({ by: 'amount', amount: 1 }), true],
  ['the reason is missing', form({ by: 'amount', amount: 1, reason: ' ' }), false],
] as const)('validity of the request if %s', (_, request, complete) => {
  expect(isComplete(request)).toBe(complete);
});

const refund = (status: Refund['status'], quantity: number) => ({ status, lines: [{ sku: 'TEA', quantity, name: '', restock: false, worth: 0 }] }) as Refund;

test('units of rejected and failed refunds are available again', () => {
  const refunds = [refund('requested', 1), refund('settled', 2), refund('rejected', 4), refund('failed', 8), refund('unknown', 16), refund('approved', 32)];
  expect(unitsRequested(refunds).get('TEA')).toBe(1 + 2 + 16 + 32);
});

test('the newest refund with a reservation is named', () => {
  const [rejected, settled] = [refund('rejected', 1), refund('settled', 1)];
  expect(reservingRefund([rejected, settled, refund('requested', 1)])).toBe(settled);
  expect(reservingRefund([rejected])).toBeUndefined();
});

test('a refund names the chosen payment and is limited to its rest', () => {
  expect(requestOf(form({ by: 'amount', amount: 5, paymentId: 3 }))).toEqual({ reason: 'It broke.', amount: 5, paymentId: 3 });
  const payments = [
    { id: 3, refundable: 50 },
    { id: 4, refundable: 70 },
  ];
  expect([null, 3, 4].map((id) => maxAmountOf({ refundable: 120 }, payments, id))).toEqual([70, 50, 70]);
  expect(maxAmountOf({ refundable: 120 }, [], null)).toBe(120);
});
