import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { RecordsOfOrder } from '@/features/order-records/RecordsOfOrder';
import styles from '@/features/orders/Order.module.css';
import type { Order } from '@/features/orders/queries';
import { useText } from '@/i18n';
import { Money, Person, When } from '@/ui';
import { refundMessages } from './messages';
import { Paid } from './Paid';
import { refundsOf } from './queries';
import { RefundStatusChip } from './RefundStatusChip';

/** The refundable amount of an order, with the refunds if the user may read them. */
export function OrderRefunds({ order, onRefund }: { order: Order; onRefund: (() => void) | undefined }) {
  const t = useText(refundMessages);
  const query = useQuery({ ...refundsOf(order.id), enabled: useMay()('refunds:read') });
  return (
    <RecordsOfOrder
      title={t('refundsOfOrder')}
      query={query}
      none={t('noRefunds')}
      add={{ label: t('ask'), open: onRefund }}
      row={({ id, amount, status, requestedBy, createdTime }) => (
        <>
          <Link to="/refunds/$id" params={{ id: String(id) }}>
            {t('refund', { id: String(id) })}
          </Link>
          <RefundStatusChip status={status} />
          <Money minor={amount} />
          <Person person={requestedBy} withAvatar />
          <span className={styles.when}>
            <When time={createdTime} />
          </span>
        </>
      )}
    >
      <Paid order={order} />
    </RecordsOfOrder>
  );
}
