import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { RecordsOfOrder } from '@/features/order-records/RecordsOfOrder';
import styles from '@/features/orders/Order.module.css';
import type { Order } from '@/features/orders/queries';
import { useFormat, useText } from '@/i18n';
import { Money, When } from '@/ui';
import { paymentMessages } from './messages';
import { PaymentStatusChip } from './PaymentStatusChip';
import { paymentsOf } from './queries';
import { useReasonText } from './useReasonText';

/** The payments of an order, and the unmatched payments that name it. */
export function OrderPayments({ order, onPay }: { order: Order; onPay: (() => void) | undefined }) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const reasonText = useReasonText();
  const query = useQuery({ ...paymentsOf(order.id), enabled: useMay()('payments:read') });
  return (
    <RecordsOfOrder
      title={t('ofOrder')}
      query={query}
      none={t('noneOfOrder')}
      add={{ label: t('addPayment'), open: onPay }}
      row={({ id, amount, refunded, status, method, reference, reason, reasonCode, createdTime }) => (
        <>
          <Link to="/payments/$id" params={{ id: String(id) }}>
            {t('payment', { id: String(id) })}
          </Link>
          <PaymentStatusChip status={status} />
          <Money minor={amount} />
          <span>
            {t(method)} {reference !== null && <span className="mono">{reference}</span>}
          </span>
          <span className={styles.when}>
            <When time={createdTime} />
          </span>
          {refunded > 0 && refunded < amount && <span className={styles.more}>{t('partRefunded', { amount: money(refunded) })}</span>}
          {status === 'unmatched' && (
            <span className={styles.more}>
              {reasonText({ reason, reasonCode })} {t('unmatchedHint')}
            </span>
          )}
        </>
      )}
    />
  );
}
