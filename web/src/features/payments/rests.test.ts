import { expect, test } from 'vitest';
import { refundableAmounts } from './rests';

test('a cancellation refunds the rest of each payment, with the amounts of requested refunds', () => {
  const payments = [
    { id: 1, refundable: 2000 },
    { id: 2, refundable: 0 },
    { id: 3, refundable: 0 },
  ];
  const refunds = [
    { paymentId: 1, status: 'approved', amount: 300 },
    { paymentId: 2, status: 'requested', amount: 500 },
    { paymentId: 2, status: 'requested', amount: 50 },
    { paymentId: 3, status: 'settled', amount: 700 },
  ] as const;
  expect(refundableAmounts(payments, refunds).map(({ payment, amount }) => [payment.id, amount])).toEqual([
    [1, 2000],
    [2, 550],
  ]);
});
