import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { orderMessages } from '@/features/orders/messages';
import type { Order } from '@/features/orders/queries';
import type { Entry } from '@/features/wallets/queries';
import { useFormat, useText } from '@/i18n';
import { Person, Section, When } from '@/ui';
import styles from './CustomerPage.module.css';
import { happeningsOf, orderOf, type Happening } from './happenings';
import { customerMessages } from './messages';

interface Props {
  orders: readonly Order[];
  entries: readonly Entry[];
  isReady: boolean;
  children: ReactNode;
}

/** What happened to a customer, newest first, each with the way to it. */
export function Timeline({ orders, entries, isReady, children }: Props) {
  const t = useText(customerMessages);
  const all = happeningsOf(orders, entries);
  return (
    <Section title={t('timeline')} hint={t('timelineHint')} aside>
      {isReady && all.length === 0 && <span className={styles.dimmed}>{t('nothing')}</span>}
      <ol className={styles.list}>
        {all.map((one) => (
          <li key={one.id} className={styles.row}>
            <span className={styles.what}>
              <Words one={one} />
            </span>
            <span className={styles.dimmed}>
              <Person person={one.kind === 'money' ? one.entry.createdBy : one.order.updatedBy} /> · <When time={one.time} />
            </span>
          </li>
        ))}
      </ol>
      {children}
    </Section>
  );
}

function Words({ one }: { one: Happening }) {
  const t = useText(customerMessages);
  const orders = useText(orderMessages);
  const { money } = useFormat();
  if (one.kind !== 'money') {
    const { id, orderNo, status } = one.order;
    const order = (
      <Link to="/orders/$id" params={{ id: String(id) }}>
        {orderNo}
      </Link>
    );
    return one.kind === 'placed' ? t.rich('placed', { order }) : t.rich('changed', { order, status: orders(status).toLowerCase() });
  }
  const { amount, balance, kind, reference } = one.entry;
  const order = orderOf(one.entry);
  return (
    <>
      {t(amount < 0 ? 'went' : 'came', { amount: money(Math.abs(amount)), kind })}{' '}
      {order === undefined ? (
        <span className={styles.dimmed}>{reference}</span>
      ) : (
        <Link to="/orders/$id" params={{ id: String(order) }}>
          {`orders/${order}`}
        </Link>
      )}{' '}
      <span className={styles.dimmed}>{t('after', { balance: money(balance) })}</span>
    </>
  );
}
