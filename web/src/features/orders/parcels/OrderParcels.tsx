import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { CopyText, Person, ProblemBanner, Section, When } from '@/ui';
import { orderMessages } from '../messages';
import styles from '../Order.module.css';
import { parcelsOf, type Order } from '../queries';

interface Props {
  order: Order;
  /** Opens the dialog for the next parcel; undefined if the user cannot ship now. */
  onShip: (() => void) | undefined;
}

/** The parcels of an order, newest first: carrier, tracking number and units. */
export function OrderParcels({ order: { id, fulfilmentStatus }, onShip }: Props) {
  const t = useText(orderMessages);
  const { data, error, refetch } = useQuery({ ...parcelsOf(id), enabled: fulfilmentStatus !== 'none' });
  return (
    <Section
      title={t('parcels')}
      action={
        onShip !== undefined && (
          <Button size="xs" onClick={onShip}>
            {t('addParcel')}
          </Button>
        )
      }
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {fulfilmentStatus === 'none' && <Text c="dimmed">{t('noParcels')}</Text>}
      <ul className={styles.list}>
        {data?.items.map(({ id: parcel, carrier, trackingNo, lines, createdBy, createdTime }) => (
          <li key={parcel}>
            <span>
              {carrier} <CopyText text={trackingNo} label={t('trackingNo')} />
            </span>
            <Person person={createdBy} withAvatar />
            <span className={styles.when}>
              <When time={createdTime} />
            </span>
            <span className={styles.more}>{lines.map(({ quantity, name }) => `${quantity} × ${name}`).join(', ')}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
