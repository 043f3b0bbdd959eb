import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { orderMessages } from '@/features/orders/messages';
import type { Order } from '@/features/orders/queries';
import { refundMessages } from '@/features/refunds/messages';
import type { Refund } from '@/features/refunds/queries';
import type { Entry } from '@/features/wallets/queries';
import { useFormat, useText } from '@/i18n';
import { Person, RecordLink, Section, When } from '@/ui';
import styles from './CustomerPage.module.css';
import { happeningsOf, recordOf, type Happening } from './happenings';
import { customerMessages } from './messages';

interface Props {
  orders: readonly Order[];
  refunds: readonly Refund[];
  entries: readonly Entry[];
  isReady: boolean;
  children: ReactNode;
}

/** What happened to a customer, newest first, each with the way to it. */
export function Timeline({ orders, refunds, entries, isReady, children }: Props) {
  const t = useText(customerMessages);
  const all = happeningsOf(orders, refunds, entries);
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
              <Person person={byOf(one)} /> · <When time={one.time} />
            </span>
          </li>
        ))}
      </ol>
      {children}
    </Section>
  );
}

/** Who did it. */
function byOf(one: Happening) {
  switch (one.kind) {
    case 'money':
      return one.entry.createdBy;
    case 'refundRequested':
      return one.refund.requestedBy;
    case 'refundChanged':
      return one.refund.updatedBy;
    default:
      return one.order.updatedBy;
  }
}

function Words({ one }: { one: Happening }) {
  const t = useText(customerMessages);
  const orders = useText(orderMessages);
  const refundWords = useText(refundMessages);
  const { money } = useFormat();
  if ('refund' in one) {
    const { id, amount, orderNo, status } = one.refund;
    const refund = (
      <Link to="/refunds/$id" params={{ id: String(id) }}>
        {t('refund', { amount: money(amount), orderNo })}
      </Link>
    );
    return one.kind === 'refundRequested' ? t.rich('requested', { refund }) : t.rich('became', { refund, status: refundWords(status).toLowerCase() });
  }
  if ('order' in one) {
    const { id, orderNo, status } = one.order;
    const order = (
      <Link to="/orders/$id" params={{ id: String(id) }}>
        {orderNo}
      </Link>
    );
    return one.kind === 'placed' ? t.rich('placed', { order }) : t.rich('changed', { order, status: orders(status).toLowerCase() });
  }
  const { amount, balance, kind, reference } = one.entry;
  const record = recordOf(one.entry);
  return (
    <>
      {t(amount < 0 ? 'went' : 'came', { amount: money(Math.abs(amount)), kind })}{' '}
      {record === undefined ? <span className={styles.dimmed}>{reference}</span> : <RecordLink path={record}>{record}</RecordLink>}{' '}
      <span className={styles.dimmed}>{t('after', { balance: money(balance) })}</span>
    </>
  );
}
