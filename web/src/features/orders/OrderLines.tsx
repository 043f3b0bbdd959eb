import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Money, RecordLink, Section } from '@/ui';
import { orderMessages } from './messages';
import styles from './Order.module.css';
import type { Order } from './queries';

/** The lines of an order with the location of their units, and the amounts from the subtotal to the rest that is due. */
export function OrderLines({ order }: { order: Order }) {
  const t = useText(orderMessages);
  const { items, subtotal, discount, couponCode, shipping, tax, amount, paid, refunded, due } = order;
  return (
    <Section title={t('lines')}>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t('item')}</th>
            <th scope="col">{t('quantity')}</th>
            <th scope="col">{t('toShip')}</th>
            <th scope="col">{t('shipped')}</th>
            <th scope="col">{t('returned')}</th>
            <th scope="col">{t('price')}</th>
            <th scope="col">{t('total')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((line) => (
            <tr key={line.lineId}>
              <td>
                {line.name}
                <span className={`${styles.sku ?? ''} mono`}>
                  <RecordLink path={`items/${line.sku}`}>{line.sku}</RecordLink>
                </span>
              </td>
              <td>{line.quantity}</td>
              <td>{line.toShip}</td>
              <td>{line.shipped}</td>
              <td>{line.returned}</td>
              <td>
                <Money minor={line.price} />
              </td>
              <td>
                <Money minor={line.price * line.quantity} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <Sum name={t('subtotal')} minor={subtotal} />
          {discount > 0 && <Sum name={couponCode === null ? t('discount') : `${t('discount')} · ${couponCode}`} minor={-discount} />}
          {shipping > 0 && <Sum name={t('shipping')} minor={shipping} />}
          {tax > 0 && <Sum name={t('tax')} minor={tax} />}
          <Sum name={t('amount')} minor={amount} isSum />
          {paid > 0 && <Sum name={t('paidSum')} minor={paid} />}
          {refunded > 0 && <Sum name={t('refundedSum')} minor={-refunded} />}
          {due > 0 && <Sum name={t('due')} minor={due} isSum />}
        </tfoot>
      </table>
    </Section>
  );
}

function Sum({ name, minor, isSum }: { name: ReactNode; minor: number; isSum?: boolean }) {
  return (
    <tr data-sum={isSum}>
      <th scope="row" colSpan={6}>
        {name}
      </th>
      <td>
        <Money minor={minor} />
      </td>
    </tr>
  );
}
