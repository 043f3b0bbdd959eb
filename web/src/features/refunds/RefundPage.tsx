import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useUser, type Winner } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { oneOrder } from '@/features/orders/queries';
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
import { refundMessages } from './messages';
import { Paid } from './Paid';
import { oneRefund, refundHistory, type Refund, type RefundAction, type RefundEvent } from './queries';
import styles from '@/ui/record/Columns.module.css';
import { RefundStatusChip } from './RefundStatusChip';
import { StepDialog } from './StepDialog';
import { buttons, isOwn } from './steps';

/** The page of a refund: amount, payment, requester, decisions and actions. */
export function RefundPage({ id }: { id: number }) {
  const t = useText(refundMessages);
  const { money } = useFormat();
  const may = useMay()('refunds:approve');
  const query = useQuery(oneRefund(id));
  const steps = useSteps<RefundAction>(`refunds/${id}/steps`, query.data?.allowedTransitions ?? []);
  const [open, setOpen] = useState<{ refund: Refund; action: RefundAction }>();
  const [winner, setWinner] = useState<Winner<Refund>>();
  return (
    <RecordPage
      query={query}
      name={t('refund', { id: String(id) })}
      parent={{ to: '/refunds', label: t('title') }}
      resource={`refunds/${id}`}
      chips={({ status }) => <RefundStatusChip status={status} />}
      actions={(refund) =>
        may && (
          <Steps
            refund={refund}
            steps={steps}
            onOpen={(action) => {
              setWinner(undefined);
              setOpen({ refund, action });
            }}
          />
        )
      }
    >
      {(refund) => (
        <>
          {winner !== undefined && (
            <LostRace
              winner={winner}
              status={t(winner.current.status)}
              more={money(winner.current.amount)}
              actions={winner.current.allowedTransitions.map((action) => t(buttons[action]))}
              onClose={() => setWinner(undefined)}
            >
              <Left orderId={refund.orderId} />
            </LostRace>
          )}
          <Waiting resource={`refunds/${id}`} />
          {may && refund.changeNeeds !== undefined && <Text c="dimmed">{t('needsHint', { n: refund.changeNeeds.approvals })}</Text>}
          {may && refund.allowedTransitions.includes('approve') && <RowValues refund={refund} />}
          <div className={styles.columns}>
            <div className={styles.main}>
              <About refund={refund} />
              <Lines refund={refund} />
              <OfOrder refund={refund} />
            </div>
            <Past refund={refund} />
          </div>
          {open !== undefined && <StepDialog {...open} onClose={() => setOpen(undefined)} onLost={setWinner} />}
        </>
      )}
    </RecordPage>
  );
}

interface StepsProps {
  refund: Refund;
  steps: readonly RefundAction[];
  onOpen: (action: RefundAction) => void;
}

/** The buttons of the transitions. Requesters cannot approve their refund; the disabled button explains it. */
function Steps({ refund, steps, onOpen }: StepsProps) {
  const t = useText(refundMessages);
  const own = isOwn(refund, useUser().id);
  return steps.map((action, i) => {
    const isOthers = action === 'approve' && own;
    return (
      <ActButton
        key={action}
        hotkey={stepKeys[action]}
        variant={i === 0 && !isOthers ? 'filled' : 'default'}
        disabled={isOthers}
        title={isOthers ? t('ownHint') : undefined}
        onClick={() => onOpen(action)}
      >
        {t(buttons[action])}
      </ActButton>
    );
  });
}

/** Explains why the requester cannot approve the refund. */
function RowValues({ refund }: { refund: Refund }) {
  const t = useText(refundMessages);
  return isOwn(refund, useUser().id) ? <Text c="dimmed">{t('ownHint')}</Text> : null;
}

/** The refundable amount of the order, after a lost race. */
function Left({ orderId }: { orderId: number }) {
  const t = useText(refundMessages);
  const { money } = useFormat();
  const { data: order } = useQuery({ ...oneOrder(orderId), enabled: useMay()('orders:read') });
  return order === undefined ? null : t('left', { amount: money(order.refundable) });
}

function About({ refund }: { refund: Refund }) {
  const t = useText(refundMessages);
  const { dateTime } = useFormat();
  const { amount, method, paymentId, orderId, orderNo, userId, origin, reason, requestedBy, createdTime, approvedBy, approvedTime, reference, statusReason } =
    refund;
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
          [t('method'), t(method)],
          [t('payment'), <RecordLink key="payment" path={`payments/${paymentId}`} children={String(paymentId)} />],
          [
            t('order'),
            <span key="order" className="mono">
              <RecordLink path={`orders/${orderId}`}>{orderNo}</RecordLink>
            </span>,
          ],
          [t('user'), <CustomerLink key="user" userId={userId} />],
          [t('origin'), t(origin)],
          [t('reason'), reason],
          [t('askedBy'), <Person key="asked" person={requestedBy} withAvatar />],
          [t('asked'), dateTime(createdTime)],
          approvedBy !== null && [t('approvedBy'), <Person key="approved" person={approvedBy} withAvatar />],
          approvedTime !== null && [t('approvedTime'), dateTime(approvedTime)],
          reference !== null && [
            t('reference'),
            method === 'wallet' && mayWallets ? (
              <Link key="reference" to="/wallets/$userId" params={{ userId }} search={{ reference }}>
                {named}
              </Link>
            ) : (
              named
            ),
          ],
          [t('statusReason'), statusReason],
        ]}
      />
    </Section>
  );
}

function Lines({ refund: { lines } }: { refund: Refund }) {
  const t = useText(refundMessages);
  return (
    <Section title={t('lines')}>
      {lines.length === 0 ? (
        <Text c="dimmed">{t('noLines')}</Text>
      ) : (
        <table className={styles.lines}>
          <thead>
            <tr>
              <th scope="col">{t('sku')}</th>
              <th scope="col">{t('name')}</th>
              <th scope="col">{t('quantity')}</th>
              <th scope="col">{t('restock')}</th>
              <th scope="col">{t('worth')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ sku, name, quantity, restock, worth }) => (
              <tr key={sku}>
                <td className="mono">
                  <RecordLink path={`items/${sku}`}>{sku}</RecordLink>
                </td>
                <td>{name}</td>
                <td>{quantity}</td>
                <td>{t(restock ? 'yes' : 'no')}</td>
                <td>
                  <Money minor={worth} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

/** The payment of the order, if the user may read orders. */
function OfOrder({ refund: { orderId } }: { refund: Refund }) {
  const t = useText(refundMessages);
  const { data: order } = useQuery({ ...oneOrder(orderId), enabled: useMay()('orders:read') });
  return (
    order !== undefined && (
      <Section title={t('ofOrder')}>
        <Paid order={order} />
      </Section>
    )
  );
}

function Past({ refund: { id } }: { refund: Refund }) {
  const t = useText(refundMessages);
  const query = useInfiniteQuery(refundHistory(id));
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

function Detail({ detail }: { detail: RefundEvent['detail'] }) {
  const given = detail as Readonly<Record<string, unknown>>;
  const labels = ['reason', 'reference'].flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return (
    <>
      {typeof given.amount === 'number' && <Money minor={given.amount} />}
      {labels.length > 0 && <div>{labels.join(' · ')}</div>}
    </>
  );
}
