import { useFormat, useText } from '@/i18n';
import { useNow } from '@/ui';
import styles from './Cockpit.module.css';
import { saleMessages } from './messages';
import type { SaleStatus } from './queries';
import { pollEvery, type Following } from './useFeed';

/** The age of the numbers, and whether they arrive live or by polling. */
export function DataAge({ following: { last, isLive }, status }: { following: Following; status: SaleStatus }) {
  const t = useText(saleMessages);
  const { duration } = useFormat();
  const now = useNow();
  if (last === undefined) return <span className={styles.age}>{t('connectingNow')}</span>;
  const age = duration(Math.max(1, Math.ceil((now - last.at) / 1000)) * 1000);
  const labels = !isLive ? t('polling', { age, every: duration(pollEvery) }) : t(status === 'closed' ? 'resting' : 'live', { age });
  return (
    <span className={styles.age} data-status={isLive ? 'live' : 'lost'}>
      <span className={styles.dot} aria-hidden="true" />
      {labels}
    </span>
  );
}
