import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useActionText } from '@/features/audit/useActionText';
import { couponMessages } from '@/features/coupons/messages';
import { orderMessages } from '@/features/orders/messages';
import { recordOf } from '@/features/wallets/record';
import { refundMessages } from '@/features/refunds/messages';
import { useFormat, useText } from '@/i18n';
import { CustomerLink, Person, RecordLink, When } from '@/ui';
import { timelineMessages } from './messages';
import type { Part, Step } from './steps';
import styles from './Timeline.module.css';

/** Shortens an id for display. */
const short = (id: string) => (id.length > 16 ? `${id.slice(0, 16)}…` : id);

/** The units of work, newest first. Each is displayed from the request to the resulting status. */
export function Steps({ steps, requestedKey }: { steps: readonly Step[]; /** The requested idempotency key. */ requestedKey: string | undefined }) {
  const t = useText(timelineMessages);
  const isRequested = ({ parts }: Step) => parts.some((part) => part.kind === 'request' && part.entry.idempotencyKey === requestedKey);
  return (
    <ol className={styles.steps} aria-label={t('steps')}>
      {steps.map((step) => (
        <li key={step.time} className={styles.step} data-requestedKey={isRequested(step) || undefined}>
          <div className={styles.head}>
            {step.who !== undefined && <Person person={step.who} withAvatar />}
            <span className={styles.when}>
              <When time={step.time} />
            </span>
          </div>
          <ul className={styles.chain}>
            {step.parts.map((part, i) => (
              <li key={i} data-part={part.kind}>
                <Words part={part} isAlone={step.parts.length === 1} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

/** One part of a unit of work. If it is the only part, it also names its record. */
function Words({ part, isAlone }: { part: Part; isAlone: boolean }) {
  const t = useText(timelineMessages);
  const { whole } = useActionText();
  const orders = useText(orderMessages);
  const coupons = useText(couponMessages);
  const refunds = useText(refundMessages);
  const { money, number, signed } = useFormat();
  const mono = (text: string) => <span className="mono">{text}</span>;
  switch (part.kind) {
    case 'key': {
      const { method, path, status, replays, key } = part.entry;
      const request = `${method} ${path}`;
      return (
        <Labelled label={t('key')}>
          <Link to="/idempotency-keys" search={{ key }}>
            {mono(short(key))}
          </Link>
          <span>{t('asked', { request, status: String(status) })}</span>
          {replays > 0 && <span>{t('replays', { n: replays })}</span>}
        </Labelled>
      );
    }
    case 'request': {
      const { id, resource, action, requestId, idempotencyKey } = part.entry;
      return (
        <Labelled label={t('request')}>
          <Link to="/audit-log" search={{ resource, open: id }}>
            {requestId === '' ? t('itself') : mono(short(requestId))}
          </Link>
          <span>{whole(action)}</span>
          {idempotencyKey !== '' && (
            <Link to="/timeline" search={{ q: idempotencyKey, as: 'idempotency-key' }}>
              {mono(short(idempotencyKey))}
            </Link>
          )}
        </Labelled>
      );
    }
    case 'queue':
      return (
        <Labelled label={t('queue')}>
          <Link to="/flash-sales/$id" params={{ id: String(part.sale) }} search={{ ticket: part.ticket }}>
            {mono(part.ticket)}
          </Link>
        </Labelled>
      );
    case 'stock': {
      const { sku, delta, onHandDelta, available, version, holder, reference } = part.movement;
      return (
        <Labelled label={t('stock')}>
          <Link to="/items/$sku" params={{ sku }} search={{ reference }}>
            {mono(sku)}
          </Link>
          <span className="tabular">
            {t('stockMoved', { change: signed(delta === 0 ? onHandDelta : delta), available: number(available) })} {t('version', { n: String(version) })}
          </span>
          {holder !== null && (
            <span>
              {t('for')} <RecordLink path={holder} />
            </span>
          )}
        </Labelled>
      );
    }
    case 'money': {
      const { amount, balance, kind, reference } = part.entry;
      const record = recordOf(part.entry);
      return (
        <Labelled label={t('balance')}>
          <CustomerLink userId={part.userId} />
          <span className="tabular">{t('balanceMoved', { change: signed(amount, money), balance: money(balance) })}</span>
          {isAlone && (
            <span>
              {kind}, {t('for')} {record === undefined ? mono(short(reference)) : <RecordLink path={record} />}
            </span>
          )}
        </Labelled>
      );
    }
    case 'coupon':
      return (
        <Labelled label={t('coupon')}>
          <Link to="/coupons/$code" params={{ code: part.code }}>
            {mono(part.code)}
          </Link>
          <strong>{coupons(part.event.to)}</strong>
        </Labelled>
      );
    case 'refund': {
      const { id, amount, orderNo } = part.refund;
      return (
        <Labelled label={t('refund')}>
          <Link to="/refunds/$id" params={{ id: String(id) }} className="tabular">
            {money(amount)}
          </Link>
          <span>
            {t('of')} {mono(orderNo)}
          </span>
          <strong>{refunds(part.to)}</strong>
        </Labelled>
      );
    }
    case 'order':
      return (
        <Labelled label={t('order')}>
          <Link to="/orders/$id" params={{ id: String(part.order.id) }}>
            {mono(part.order.orderNo)}
          </Link>
          <strong>{orders(part.event.to)}</strong>
        </Labelled>
      );
  }
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <span className={styles.what}>{label}</span>
      {children}
    </>
  );
}
