import { useLiveState } from '@/api';
import { useText } from '@/i18n';
import { StatusChip, When } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

const labels = { live: 'stateLive', lost: 'stateLost', connecting: 'stateConnecting', asleep: 'stateAsleep', off: 'stateOff' } as const;
const tones = { live: 'ok', lost: 'warn', connecting: 'neutral', asleep: 'neutral', off: 'neutral' } as const;

/** The age of the numbers, and whether live updates arrive. */
export function DataAge({ read }: { read: number }) {
  const t = useText(dashboardMessages);
  const { status } = useLiveState();
  return (
    <span className={styles.age}>
      <StatusChip tone={tones[status]} live={status === 'live'}>
        {t(labels[status])}
      </StatusChip>
      <span>{t.rich('read', { when: <When time={new Date(read).toISOString()} /> })}</span>
    </span>
  );
}
