import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import type { Order } from '@/features/orders/queries';
import styles from '@/features/orders/Order.module.css';
import { useFormat, useText } from '@/i18n';
import { Money, ProblemBanner, Section, When } from '@/ui';
import { paymentMessages } from './messages';
import { PaymentStatusChip } from './PaymentStatusChip';
import { paymentsOf } from './queries';

interface Props {
  order: Order;
  /** Opens the dialog for a payment; undefined if the user cannot record one now. */
  onPay: (() => void) | undefined;
}

/** The payments of an order, and the unmatched payments that name it. */
export function OrderPayments({ order: { id }, onPay }: Props) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const { data, error, refetch } = useQuery({ ...paymentsOf(id), enabled: useMay()('payments:read') });
  return (
    <Section
      title={t('ofOrder')}
      action={
        onPay !== undefined && (
          <Button size="xs" onClick={onPay}>
            {t('addPayment')}
          </Button>
        )
      }
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <Text c="dimmed">{t('noneOfOrder')}</Text>}
      <ul className={styles.list}>
        {data?.items.map(({ id: payment, amount, refunded, status, method, reference, createdTime }) => (
          <li key={payment}>
            <Link to="/payments/$id" params={{ id: String(payment) }}>
              {t('payment', { id: String(payment) })}
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
            {status === 'unmatched' && <span className={styles.more}>{t('unmatchedHint')}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
