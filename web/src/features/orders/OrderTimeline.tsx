import { useInfiniteQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { History, Money, revisionsOf, StatusMove } from '@/ui';
import { Effects } from './effects/Effects';
import { orderMessages } from './messages';
import { orderHistory, type Order, type OrderEvent } from './queries';

const verbs = {
  create: 'eventCreate',
  update: 'eventEdit',
  pay: 'eventPay',
  payment: 'eventPayment',
  ship: 'eventShip',
  shipment: 'eventShipment',
  complete: 'eventComplete',
  cancel: 'eventCancel',
  'reserve-refund': 'eventReserveRefund',
  'release-refund': 'eventReleaseRefund',
  'settle-refund': 'eventSettleRefund',
  'request-return': 'eventRequestReturn',
  'receive-return': 'eventReceiveReturn',
  'reject-return': 'eventRejectReturn',
} as const;

/** The timeline of an order, newest first: user, time, transition, details, and the effects on stock and money. */
export function OrderTimeline({ order }: { order: Order }) {
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
