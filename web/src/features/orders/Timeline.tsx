import { useQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { Money, Person, ProblemBanner, When } from '@/ui';
import { orderMessages } from './messages';
import styles from './OrderDetail.module.css';
import { orderHistory, type OrderEvent } from './queries';

const verbs = { create: 'eventCreate', pay: 'eventPay', ship: 'eventShip', complete: 'eventComplete', cancel: 'eventCancel' } as const;

/** What happened to an order, newest first: who, when, from which status to which, and with what. */
export function Timeline({ id }: { id: number }) {
  const t = useText(orderMessages);
  const { data, error, refetch } = useQuery(orderHistory(id));
  if (error !== null) return <ProblemBanner error={error} retry={() => void refetch()} />;
  return (
    <ol className={styles.events}>
      {data?.items.map((event) => (
        <li key={event.version} className={styles.event}>
          <div>
            <strong>
              <Person person={event.changedBy} />
            </strong>{' '}
            {t(verbs[event.action])}
          </div>
          <div className={styles.meta}>
            <When time={event.changedTime} />
            {event.from !== null && ` · ${t('fromTo', { from: t(event.from), to: t(event.to) })}`}
          </div>
          <Detail detail={event.detail} />
        </li>
      ))}
    </ol>
  );
}

function Detail({ detail }: { detail: OrderEvent['detail'] }) {
  const given = detail as Readonly<Record<string, unknown>>;
  const words = ['reference', 'carrier', 'trackingNo', 'reason', 'couponCode'].flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return (
    <>
      {typeof given.amount === 'number' && <Money minor={given.amount} />}
      {words.length > 0 && <div>{words.join(' · ')}</div>}
    </>
  );
}
