import { useQuery } from '@tanstack/react-query';
import { RecordsOfOrder } from '@/features/order-records/RecordsOfOrder';
import { useText } from '@/i18n';
import { CopyText, Person, When } from '@/ui';
import { orderMessages } from '../messages';
import styles from '../Order.module.css';
import { parcelsOf, type Order } from '../queries';

/** The parcels of an order, newest first: carrier, tracking number and units. */
export function OrderParcels({ order: { id }, onShip }: { order: Order; onShip: (() => void) | undefined }) {
  const t = useText(orderMessages);
  return (
    <RecordsOfOrder
      title={t('parcels')}
      query={useQuery(parcelsOf(id))}
      none={t('noParcels')}
      add={{ label: t('addParcel'), open: onShip }}
      row={({ carrier, trackingNo, lines, createdBy, createdTime }) => (
        <>
          <span>
            {carrier} <CopyText text={trackingNo} label={t('trackingNo')} />
          </span>
          <Person person={createdBy} withAvatar />
          <span className={styles.when}>
            <When time={createdTime} />
          </span>
          <span className={styles.more}>{lines.map(({ quantity, name }) => `${quantity} × ${name}`).join(', ')}</span>
        </>
      )}
    />
  );
}
