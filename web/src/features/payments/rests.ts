import type { Refund } from '@/features/refunds/queries';
import type { Payment } from './queries';

/**
 * The amounts that the cancellation of an order refunds, by payment; fully refunded payments are omitted. The cancellation rejects requested refunds, so
 * that their amounts are refunded with the rest.
 */
export function refundableAmounts<P extends Pick<Payment, 'id' | 'refundable'>>(
  payments: readonly P[],
  refunds: readonly Pick<Refund, 'paymentId' | 'status' | 'amount'>[],
): { payment: P; amount: number }[] {
  return payments
    .map((payment) => {
      const released = refunds.filter(({ paymentId, status }) => paymentId === payment.id && status === 'requested');
      return { payment, amount: released.reduce((sum, { amount }) => sum + amount, payment.refundable) };
    })
    .filter(({ amount }) => amount > 0);
}
