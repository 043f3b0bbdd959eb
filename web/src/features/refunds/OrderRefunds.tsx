import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import type { Order } from '@/features/orders/queries';
import { useText } from '@/i18n';
import { Money, Person, ProblemBanner, Section, When } from '@/ui';
import { refundMessages } from './messages';
import styles from './OrderRefunds.module.css';
import { Paid } from './Paid';
import { refundsOf } from './queries';
import { RefundStatusChip } from './RefundStatusChip';

/** The payment of an order and its refundable amount, with the refunds if the user may read them. */
export function OrderRefunds({ order }: { order: Order }) {
  const t = useText(refundMessages);
  const { data, error, refetch } = useQuery({ ...refundsOf(order.id), enabled: useMay()('refunds:read') });
  return (
    <Section title={t('refundsOfOrder')}>
      <Paid order={order} />
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && (
        <Text c="dimmed" mt="sm">
          {t('noRefunds')}
        </Text>
      )}
      {data !== undefined && data.items.length > 0 && (
        <ul className={styles.list}>
          {data.items.map(({ id, amount, status, requestedBy, createdTime }) => (
            <li key={id}>
              <Link to="/refunds/$id" params={{ id: String(id) }}>
                {t('refund', { id: String(id) })}
              </Link>
              <RefundStatusChip status={status} />
              <Money minor={amount} />
              <Person person={requestedBy} withAvatar />
              <span className={styles.when}>
                <When time={createdTime} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
