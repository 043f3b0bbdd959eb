import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useUser, type Winner } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { useFormat, useText } from '@/i18n';
import {
  ActButton,
  CustomerLink,
  Facts,
  History,
  LostRace,
  Money,
  Person,
  RecordLink,
  RecordPage,
  revisionsOf,
  Section,
  StatusMove,
  useSteps,
  stepKeys,
} from '@/ui';
import styles from '@/ui/record/Columns.module.css';
import { paymentMessages } from './messages';
import { PaymentStatusChip } from './PaymentStatusChip';
import { onePayment, paymentHistory, type Payment, type PaymentAction, type PaymentEvent } from './queries';
import { StepDialog } from './StepDialog';

const permissions: Record<PaymentAction, string> = { apply: 'payments:write', refund: 'payments:refund' };

/** The page of a payment: amounts, order, recorder and actions. */
export function PaymentPage({ id }: { id: number }) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const may = useMay();
  const me = useUser().id;
  const query = useQuery(onePayment(id));
  const steps = useSteps<PaymentAction>(`payments/${id}/steps`, query.data?.allowedTransitions ?? []).filter((action) => may(permissions[action]));
  const [open, setOpen] = useState<{ payment: Payment; action: PaymentAction }>();
  const [winner, setWinner] = useState<Winner<Payment>>();
  const isOwn = ({ recordedBy }: Payment) => recordedBy.id !== 0 && recordedBy.id === me;
  return (
    <RecordPage
      query={query}
      name={t('payment', { id: String(id) })}
      parent={{ to: '/payments', label: t('title') }}
      resource={`payments/${id}`}
      chips={({ status }) => <PaymentStatusChip status={status} />}
      actions={(payment) =>
        steps.map((action) => {
          const isOthers = action === 'refund' && isOwn(payment);
          return (
            <ActButton
              key={action}
              hotkey={stepKeys[action]}
              variant={action === 'apply' ? 'filled' : 'default'}
              disabled={isOthers}
              title={isOthers ? t('ownHint') : undefined}
              onClick={() => {
                setWinner(undefined);
                setOpen({ payment, action });
              }}
            >
              {t(action)}
            </ActButton>
          );
        })
      }
    >
      {(payment) => (
        <>
          {winner !== undefined && (
            <LostRace
              winner={winner}
              status={t(winner.current.status)}
              more={money(winner.current.amount)}
              actions={winner.current.allowedTransitions.map((action) => t(action))}
              onClose={() => setWinner(undefined)}
            />
          )}
          <Waiting resource={`payments/${id}`} />
          {steps.includes('refund') && isOwn(payment) && <Text c="dimmed">{t('ownHint')}</Text>}
          <div className={styles.columns}>
            <About payment={payment} />
            <Past id={id} />
          </div>
          {open !== undefined && <StepDialog {...open} onClose={() => setOpen(undefined)} onLost={setWinner} />}
        </>
      )}
    </RecordPage>
  );
}

function About({ payment }: { payment: Payment }) {
  const t = useText(paymentMessages);
  const { dateTime } = useFormat();
  const { id, amount, refundReserved, refunded, refundable, orderId, orderNo, userId, method, provider, reference } = payment;
  const { recordedBy, createdTime, appliedTime, reason } = payment;
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
          [t('reason'), reason],
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

function Past({ id }: { id: number }) {
  const t = useText(paymentMessages);
  const query = useInfiniteQuery(paymentHistory(id));
  return (
    <History
      title={t('history')}
      query={query}
      aside
      entries={revisionsOf(query).map((event) => ({
        ...event,
        action: t(`did_${event.action}`),
        marks: <StatusMove event={event} name={(status) => t(status)} />,
        details: <Detail detail={event.detail} />,
      }))}
    />
  );
}

function Detail({ detail }: { detail: PaymentEvent['detail'] }) {
  const given = detail as Readonly<Record<string, unknown>>;
  return (
    <>
      {typeof given.amount === 'number' && <Money minor={given.amount} />}
      {typeof given.orderId === 'number' && (
        <>
          {' '}
          <RecordLink path={`orders/${given.orderId}`} />
        </>
      )}
      {typeof given.refundId === 'number' && (
        <>
          {' '}
          <RecordLink path={`refunds/${given.refundId}`} />
        </>
      )}
      {typeof given.reason === 'string' && given.reason !== '' && <div>{given.reason}</div>}
    </>
  );
}
