import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, type Winner } from '@/api';
import { OrderRefunds } from '@/features/refunds/OrderRefunds';
import { RequestRefund } from '@/features/refunds/RequestRefund';
import { useFormat, useText } from '@/i18n';
import { CustomerLink, Facts, History, LostRace, Money, RecordLink, RecordPage, revisionsOf, Section, StatusMove, useSteps, When } from '@/ui';
import { Effects } from './effects/Effects';
import { orderMessages } from './messages';
import styles from '@/ui/record/Columns.module.css';
import { OrderStatusChip } from './OrderStatusChip';
import { oneOrder, orderHistory, type Order, type OrderAction, type OrderEvent } from './queries';
import { StepDialog } from './StepDialog';

/** The page of an order: amounts, refunds, history and actions. */
export function OrderDetail({ id }: { id: number }) {
  const t = useText(orderMessages);
  const { money } = useFormat();
  const may = useMay();
  const query = useQuery(oneOrder(id));
  const steps = useSteps<OrderAction>(`orders/${id}/steps`, query.data?.allowedTransitions ?? []);
  const [open, setOpen] = useState<{ order: Order; action: OrderAction }>();
  const [refunding, setRefunding] = useState(false);
  const [winner, setWinner] = useState<Winner<Order>>();
  return (
    <RecordPage
      query={query}
      name={query.data?.orderNo ?? `${t('order')} ${id}`}
      mono
      parent={{ to: '/orders', label: t('title') }}
      resource={`orders/${id}`}
      chips={({ status }) => <OrderStatusChip status={status} />}
      actions={(order) => (
        <>
          {may('orders:write') &&
            steps.map((action, i) => (
              <Button
                key={action}
                variant={i === 0 && action !== 'cancel' ? 'filled' : 'default'}
                onClick={() => {
                  setWinner(undefined);
                  setOpen({ order, action });
                }}
              >
                {t(action)}
              </Button>
            ))}
          {may('refunds:write') && order.refundable > 0 && <Button onClick={() => setRefunding(true)}>{t('refund')}</Button>}
        </>
      )}
    >
      {(order) => (
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
          <div className={styles.columns}>
            <div className={styles.main}>
              <Lines order={order} />
              <About order={order} />
              {order.paid > 0 && <OrderRefunds order={order} />}
            </div>
            <Timeline order={order} />
          </div>
          {open !== undefined && <StepDialog {...open} onClose={() => setOpen(undefined)} onLost={setWinner} />}
          {refunding && <RequestRefund order={order} onClose={() => setRefunding(false)} />}
        </>
      )}
    </RecordPage>
  );
}

function Lines({ order }: { order: Order }) {
  const t = useText(orderMessages);
  return (
    <Section title={t('lines')}>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t('sku')}</th>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('quantity')}</th>
            <th scope="col">{t('toShip')}</th>
            <th scope="col">{t('shipped')}</th>
            <th scope="col">{t('returned')}</th>
            <th scope="col">{t('price')}</th>
          </tr>
        </thead>
        <tbody>
          {order.items.map((line) => (
            <tr key={line.sku}>
              <td className="mono">
                <RecordLink path={`items/${line.sku}`}>{line.sku}</RecordLink>
              </td>
              <td>{line.name}</td>
              <td>{line.quantity}</td>
              <td>{line.toShip}</td>
              <td>{line.shipped}</td>
              <td>{line.returned}</td>
              <td>
                <Money minor={line.price} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {order.discount > 0 && (
            <tr>
              <th scope="row" colSpan={6}>
                {t('discount')}
              </th>
              <td>
                <Money minor={-order.discount} />
              </td>
            </tr>
          )}
          <tr>
            <th scope="row" colSpan={6}>
              {t('amount')}
            </th>
            <td>
              <strong>
                <Money minor={order.amount} />
              </strong>
            </td>
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

function About({ order }: { order: Order }) {
  const t = useText(orderMessages);
  const { dateTime } = useFormat();
  const { userId, createdTime, payment, paymentDue, shipment, couponCode, cancelReason, flashSaleId, ticket, allowedTransitions } = order;
  // The text for a missing value: "not yet" if a transition may still set it, otherwise "none".
  const lacking = allowedTransitions.length > 0 ? t('noneYet') : t('none');
  const coupon = couponCode === null ? t('none') : <RecordLink path={`coupons/${couponCode}`} children={<span className="mono">{couponCode}</span>} />;
  const paid = payment && [t(payment.method === 'wallet' ? 'fromWallet' : 'external'), payment.reference].filter(Boolean).join(' · ');
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          [t('user'), <CustomerLink key="user" userId={userId} />],
          [t('placed'), dateTime(createdTime)],
          [t('coupon'), coupon],
          [t('payment'), paid ?? lacking],
          paymentDue !== null && [t('paymentDue'), <When key="due" time={paymentDue} />],
          [t('shipment'), shipment === null ? lacking : `${shipment.carrier} · ${shipment.trackingNo}`],
          [t('cancelReason'), cancelReason],
          flashSaleId !== null && [
            t('flashSale'),
            <Link key="sale" to="/flash-sales/$id" params={{ id: String(flashSaleId) }} search={{ ticket: ticket ?? undefined }}>
              {t('saleNumber', { id: String(flashSaleId) })}
            </Link>,
          ],
        ]}
      />
    </Section>
  );
}

const verbs = {
  create: 'eventCreate',
  pay: 'eventPay',
  ship: 'eventShip',
  shipment: 'eventShipment',
  complete: 'eventComplete',
  cancel: 'eventCancel',
  'reserve-refund': 'eventReserveRefund',
  'release-refund': 'eventReleaseRefund',
  'settle-refund': 'eventSettleRefund',
} as const;

/** The history of an order, newest first: user, time, transition, details, and the effects on stock and money. */
function Timeline({ order }: { order: Order }) {
  const t = useText(orderMessages);
  const query = useInfiniteQuery(orderHistory(order.id));
  return (
    <History
      title={t('timeline')}
      query={query}
      aside
      entries={revisionsOf(query).map((event) => ({
        ...event,
        action: t(verbs[event.action]),
        marks: <StatusMove event={event} name={(status) => t(status)} />,
        details: (
          <>
            <Detail detail={event.detail} />
            <Effects order={order} event={event} />
          </>
        ),
      }))}
    />
  );
}

function Detail({ detail }: { detail: OrderEvent['detail'] }) {
  const given = detail as Readonly<Record<string, unknown>>;
  const labels = ['reference', 'carrier', 'trackingNo', 'reason', 'couponCode'].flatMap((name) => {
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
