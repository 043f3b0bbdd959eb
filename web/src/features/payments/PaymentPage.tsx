import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay, useUser } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { EventDetail } from '@/features/order-records/EventDetail';
import { OrderRecordPage } from '@/features/order-records/OrderRecordPage';
import { useFormat, useText } from '@/i18n';
import { CustomerLink, Facts, Money, Person, RecordLink, Section } from '@/ui';
import { paymentMessages } from './messages';
import { PaymentStatusChip } from './PaymentStatusChip';
import { onePayment, paymentHistory, type Payment, type PaymentAction, type PaymentEvent, type PaymentStatus } from './queries';
import { StepDialog } from './StepDialog';
import { useReasonText } from './useReasonText';

const permissions: Record<PaymentAction, string> = { apply: 'payments:write', refund: 'payments:refund' };

/** The page of a payment: amounts, order, recorder and actions. */
export function PaymentPage({ id }: { id: number }) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const me = useUser().id;
  const reasonText = useReasonText();
  const withReason = (detail: object) => ({ ...detail, reason: reasonText({ reason: null, reasonCode: null, ...detail }) });
  return (
    <OrderRecordPage<Payment, PaymentAction, PaymentStatus, PaymentEvent>
      id={id}
      folder="payments"
      query={useQuery(onePayment(id))}
      past={useInfiniteQuery(paymentHistory(id))}
      name={t('payment', { id: String(id) })}
      list={t('title')}
      chip={({ status }) => <PaymentStatusChip status={status} />}
      labels={{ status: t, action: t }}
      permission={(action) => permissions[action]}
      // Another user than the recorder sends a payment back.
      hint={(action, { recordedBy }) => (action === 'refund' && recordedBy.id !== 0 && recordedBy.id === me ? t('ownHint') : undefined)}
      lost={{ more: ({ amount }) => money(amount) }}
      notices={() => <Waiting resource={`payments/${id}`} />}
      dialog={(step) => <StepDialog {...step} />}
      event={({ action, detail }) => ({ action: t(`did_${action}`), details: <EventDetail detail={withReason(detail)} /> })}
    >
      {(payment) => <About payment={payment} />}
    </OrderRecordPage>
  );
}

function About({ payment }: { payment: Payment }) {
  const t = useText(paymentMessages);
  const { dateTime } = useFormat();
  const { id, amount, refundReserved, refunded, refundable, orderId, orderNo, userId, method, provider, reference } = payment;
  const { recordedBy, createdTime, appliedTime } = payment;
  const reasonText = useReasonText();
  const mayWallets = useMay()('wallets:read');
  const named = reference !== null && <span className="mono">{reference}</span>;
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          [
            t('amount'),
            <strong key="amount">
              <Money minor={amount} />
            </strong>,
          ],
          refundReserved > 0 && [t('reserved'), <Money key="reserved" minor={refundReserved} />],
          refunded > 0 && [t('refundedAmount'), <Money key="refunded" minor={refunded} />],
          refundable > 0 && [t('refundable'), <Money key="refundable" minor={refundable} />],
          [
            t('order'),
            orderId === null ? (
              t('noOrder')
            ) : (
              <span key="order" className="mono">
                <RecordLink path={`orders/${orderId}`}>{orderNo ?? orderId}</RecordLink>
              </span>
            ),
          ],
          userId !== null && [t('user'), <CustomerLink key="user" userId={userId} />],
          [
            t('method'),
            method === 'wallet' && userId !== null && mayWallets ? (
              <Link key="wallet" to="/wallets/$userId" params={{ userId }} search={{ reference: `@payments/${id}` }}>
                {t(method)}
              </Link>
            ) : (
              t(method)
            ),
          ],
          [t('provider'), provider],
          [t('reference'), named],
          [t('recordedBy'), <Person key="recorded" person={recordedBy} withAvatar />],
          [t('received'), dateTime(createdTime)],
          appliedTime !== null && [t('applied_time'), dateTime(appliedTime)],
          [t('reason'), reasonText(payment)],
        ]}
      />
      {appliedTime !== null && refundable > 0 && (
        <Text c="dimmed" mt="sm">
          {t('refundHint')}
        </Text>
      )}
    </Section>
  );
}
