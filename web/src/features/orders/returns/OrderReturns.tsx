import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { RecordsOfOrder } from '@/features/order-records/RecordsOfOrder';
import { returnsOf } from '@/features/returns/queries';
import { ReturnStatusChip } from '@/features/returns/ReturnStatusChip';
import { useText } from '@/i18n';
import { When } from '@/ui';
import styles from '../Order.module.css';
import type { Order } from '../queries';
import { orderReturnMessages } from './messages';

/** The returns of an order, newest first. */
export function OrderReturns({ order, onReturn }: { order: Order; onReturn: (() => void) | undefined }) {
  const t = useText(orderReturnMessages);
  const query = useQuery({ ...returnsOf(order.id), enabled: useMay()('returns:read') });
  return (
    <RecordsOfOrder
      title={t('title')}
      query={query}
      none={t('none')}
      add={{ label: t('request'), open: onReturn }}
      row={({ id, status, lines, createdTime }) => (
        <>
          <Link to="/returns/$id" params={{ id: String(id) }}>
            {t('number', { id: String(id) })}
          </Link>
          <ReturnStatusChip status={status} />
          <span className={styles.when}>
            <When time={createdTime} />
          </span>
          <span className={styles.more}>{lines.map(({ quantity, name }) => `${quantity} × ${name}`).join(', ')}</span>
        </>
      )}
    />
  );
}
