import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { returnsOf } from '@/features/returns/queries';
import { ReturnStatusChip } from '@/features/returns/ReturnStatusChip';
import { useText } from '@/i18n';
import { ProblemBanner, Section, When } from '@/ui';
import styles from '../Order.module.css';
import type { Order } from '../queries';
import { orderReturnMessages } from './messages';

interface Props {
  order: Order;
  /** Opens the dialog for a return; undefined if the user cannot request one now. */
  onReturn: (() => void) | undefined;
}

/** The returns of an order, newest first. */
export function OrderReturns({ order: { id }, onReturn }: Props) {
  const t = useText(orderReturnMessages);
  const { data, error, refetch } = useQuery({ ...returnsOf(id), enabled: useMay()('returns:read') });
  return (
    <Section
      title={t('title')}
      action={
        onReturn !== undefined && (
          <Button size="xs" onClick={onReturn}>
            {t('request')}
          </Button>
        )
      }
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <Text c="dimmed">{t('none')}</Text>}
      <ul className={styles.list}>
        {data?.items.map(({ id: number, status, lines, createdTime }) => (
          <li key={number}>
            <Link to="/returns/$id" params={{ id: String(number) }}>
              {t('number', { id: String(number) })}
            </Link>
            <ReturnStatusChip status={status} />
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
