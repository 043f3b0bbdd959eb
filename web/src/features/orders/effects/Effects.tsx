import { Link } from '@tanstack/react-router';
import { useFormat, useText } from '@/i18n';
import type { Order, OrderEvent } from '../queries';
import styles from './Effects.module.css';
import { effectMessages } from './messages';
import { idsIn, useEffects } from './queries';

/** The effects of a transition, with links: request and key, ticket, stock, money. */
export function Effects({ order, event }: { order: Order; event: OrderEvent }) {
  const t = useText(effectMessages);
  const { money, number, signed } = useFormat();
  const { audit, movements, entries, stockReference } = useEffects(order, event);
  const { refund, payment, returned } = idsIn(event);
  const { flashSaleId, ticket } = order;
  return (
    <ul className={styles.chain}>
      {event.action === 'create' && flashSaleId !== null && ticket !== null && (
        <li>
          {t('queue')}{' '}
          <Link to="/flash-sales/$id" params={{ id: String(flashSaleId) }} search={{ ticket }}>
            {ticket}
          </Link>
        </li>
      )}
      {payment !== undefined && (
        <li>
          <Link to="/payments/$id" params={{ id: String(payment) }}>
            {t('payment', { id: String(payment) })}
          </Link>
        </li>
      )}
      {returned !== undefined && (
        <li>
          <Link to="/returns/$id" params={{ id: String(returned) }}>
            {t('return', { id: String(returned) })}
          </Link>
        </li>
      )}
      {refund !== undefined && (
        <li>
          <Link to="/refunds/$id" params={{ id: String(refund) }}>
            {t('refund', { id: String(refund) })}
          </Link>
        </li>
      )}
      {audit !== undefined && (
        <li>
          {t('request')}{' '}
          <Link to="/audit-log" search={{ resource: `orders/${order.id}`, open: audit.id }}>
            <span className="mono">{audit.requestId === '' ? t('itself') : audit.requestId.slice(0, 13)}</span>
          </Link>
          {audit.idempotencyKey !== '' && (
            <>
              {' · '}
              {t('key')}{' '}
              <Link to="/idempotency-keys" search={{ key: audit.idempotencyKey }}>
                <span className="mono">{audit.idempotencyKey.length > 16 ? `${audit.idempotencyKey.slice(0, 16)}…` : audit.idempotencyKey}</span>
              </Link>
            </>
          )}
        </li>
      )}
      {movements.map(({ id, sku, kind, onHandDelta, reservedDelta, available }) => (
        <li key={id}>
          {t('stock')}{' '}
          <Link to="/items/$sku" params={{ sku }} search={{ reference: stockReference }}>
            {sku}
          </Link>{' '}
          {t(kind === 'reserve' ? 'reserved' : kind === 'consume' ? 'shippedOut' : 'returned', {
            // A return of shipped units changes only the stock on hand, because they are no longer reserved.
            n: number(Math.abs(kind === 'consume' || reservedDelta === 0 ? onHandDelta : reservedDelta)),
            available: number(available),
          })}
        </li>
      ))}
      {entries.map(({ id, userId, amount, balance, reference }) => (
        <li key={id}>
          {t('wallet')}{' '}
          <Link to="/wallets/$userId" params={{ userId }} search={{ reference }}>
            {signed(amount, money)}
          </Link>
          {', '}
          {t('balance', { balance: money(balance) })}
        </li>
      ))}
    </ul>
  );
}
