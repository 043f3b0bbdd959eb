import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import type { Order } from '@/features/orders/queries';
import { refundsOf } from '@/features/refunds/queries';
import { useFormat, useText } from '@/i18n';
import { paymentMessages } from './messages';
import { paymentsOf } from './queries';
import { refundableAmounts } from './rests';

/** The refunds that the cancellation of an order makes, by payment. */
export function CancelRefunds({ order: { id, refundable } }: { order: Order }) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const may = useMay();
  const payments = useQuery({ ...paymentsOf(id), enabled: may('payments:read') }).data;
  const refunds = useQuery({ ...refundsOf(id), enabled: may('refunds:read') }).data;
  const rests = payments && refundableAmounts(payments.items, refunds?.items ?? []);
  const total = rests?.reduce((sum, { amount }) => sum + amount, 0) ?? refundable;
  return (
    <div>
      <Text>
        <strong>{t('cancelRefunds', { amount: money(total) })}</strong>
      </Text>
      <ul>
        {rests?.map(({ payment: { id: payment, method }, amount }) => (
          <li key={payment}>{t(method === 'wallet' ? 'cancelToWallet' : 'cancelRequests', { id: String(payment), amount: money(amount) })}</li>
        ))}
      </ul>
    </div>
  );
}
