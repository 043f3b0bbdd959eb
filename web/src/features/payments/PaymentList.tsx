import { OrderRecordList } from '@/features/order-records/OrderRecordList';
import { useText } from '@/i18n';
import { FilterChoice, useColumn, type Raw } from '@/ui/table';
import { paymentMessages } from './messages';
import { PaymentStatusChip } from './PaymentStatusChip';
import { readPayments, type Payment, type PaymentSearch } from './queries';
import { methods, statuses } from './statuses';
import { useReasonText } from './useReasonText';

/** Every payment; the unmatched ones are money that no order could take. */
export function PaymentList({ search }: { search: Raw<PaymentSearch> }) {
  const t = useText(paymentMessages);
  const column = useColumn<Payment>();
  const reasonText = useReasonText();
  const sources = methods.map((method) => ({ value: method, label: t(method) }));
  return (
    <OrderRecordList<PaymentSearch, Payment>
      folder="payments"
      search={search}
      read={readPayments}
      title={t('title')}
      name={(id) => t('payment', { id: String(id) })}
      statuses={statuses.map((status) => ({ value: status, label: t(status) }))}
      chip={({ status }) => <PaymentStatusChip status={status} />}
      facts={[column.money('amount', t('amount'), ({ amount }) => amount, { sort: 'amount', narrow: true })]}
      more={[
        column.text('method', t('method'), ({ method }) => method, { cell: ({ method }) => t(method) }),
        column.text('reference', t('reference'), ({ reference }) => reference, { mono: true }),
        column.time('received', t('received'), ({ createdTime }) => createdTime, { sort: 'createdTime' }),
        column.text('provider', t('provider'), ({ provider }) => provider, { optional: true }),
        column.money('refunded', t('refundedAmount'), ({ refunded }) => refunded, { optional: true }),
        column.person('recordedBy', t('recordedBy'), ({ recordedBy }) => recordedBy, { optional: true }),
        column.text('reason', t('reason'), reasonText, { optional: search.status !== 'unmatched' }),
      ]}
      days={{ from: t('filterFrom'), to: t('filterTo') }}
      filters={{
        input: (state) => <FilterChoice state={state} name="method" label={t('method')} any={t('anyMethod')} options={sources} />,
        texts: { method: sources },
      }}
      empty={{ title: t('empty'), hint: t('emptyHint') }}
    />
  );
}
