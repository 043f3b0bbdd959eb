import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import type { Order } from '@/features/orders/queries';
import { useText } from '@/i18n';
import { Money, Person, ProblemBanner, Section, When } from '@/ui';
import styles from '@/features/orders/Order.module.css';
import { refundMessages } from './messages';

import { Paid } from './Paid';
import { refundsOf } from './queries';
import { RefundStatusChip } from './RefundStatusChip';

interface Props {
  order: Order;
  /** Opens the dialog for a refund; undefined if the user cannot request one now. */
  onRefund: (() => void) | undefined;
}

/** The refundable amount of an order, with the refunds if the user may read them. */
export function OrderRefunds({ order, onRefund }: Props) {
  const t = useText(refundMessages);
  const { data, error, refetch } = useQuery({ ...refundsOf(order.id), enabled: useMay()('refunds:read') });
  return (
    <Section
      title={t('refundsOfOrder')}
      action={
        onRefund !== undefined && (
          <Button size="xs" onClick={onRefund}>
            {t('ask')}
          </Button>
        )
      }
    >
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
