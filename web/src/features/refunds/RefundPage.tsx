import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay, useUser } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { EventDetail } from '@/features/order-records/EventDetail';
import { OrderRecordPage } from '@/features/order-records/OrderRecordPage';
import { oneOrder } from '@/features/orders/queries';
import { useFormat, useText } from '@/i18n';
import { CustomerLink, Facts, Money, Person, RecordLink, Section } from '@/ui';
import styles from '@/ui/record/Columns.module.css';
import { refundMessages } from './messages';
import { Paid } from './Paid';
import { oneRefund, refundHistory, type Refund, type RefundAction, type RefundEvent, type RefundStatus } from './queries';
import { RefundStatusChip } from './RefundStatusChip';
import { StepDialog } from './StepDialog';
import { buttons, isOwn } from './steps';

/** The page of a refund: amount, payment, requester, decisions and actions. */
export function RefundPage({ id }: { id: number }) {
  const t = useText(refundMessages);
  const { money } = useFormat();
  const may = useMay()('refunds:approve');
  const me = useUser().id;
  return (
    <OrderRecordPage<Refund, RefundAction, RefundStatus, RefundEvent>
      id={id}
      folder="refunds"
      query={useQuery(oneRefund(id))}
      past={useInfiniteQuery(refundHistory(id))}
      name={t('refund', { id: String(id) })}
      list={t('title')}
      chip={({ status }) => <RefundStatusChip status={status} />}
      labels={{ status: t, action: (action) => t(buttons[action]) }}
      permission={() => 'refunds:approve'}
      // Another user than the requester approves a refund.
      hint={(action, refund) => (action === 'approve' && isOwn(refund, me) ? t('ownHint') : undefined)}
      lost={{ more: ({ amount }) => money(amount), details: ({ orderId }) => <Left orderId={orderId} /> }}
      notices={({ changeNeeds }) => (
        <>
          <Waiting resource={`refunds/${id}`} />
          {may && changeNeeds !== undefined && <Text c="dimmed">{t('needsHint', { n: changeNeeds.approvals })}</Text>}
        </>
      )}
      dialog={(step) => <StepDialog {...step} />}
      event={({ action, detail }) => ({ action: t(`did_${action}`), details: <EventDetail detail={detail} /> })}
    >
      {(refund) => (
        <>
          <About refund={refund} />
          <Lines refund={refund} />
          <OfOrder refund={refund} />
        </>
      )}
    </OrderRecordPage>
  );
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
          [t('requestedBy'), <Person key="asked" person={requestedBy} withAvatar />],
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
