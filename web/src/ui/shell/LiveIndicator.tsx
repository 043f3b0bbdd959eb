import { Tooltip } from '@mantine/core';
import { useLiveState, type LiveStatus } from '@/api';
import { useFormat, useText } from '@/i18n';
import { useNow } from '../now';
import { shellMessages } from './messages';
import styles from './LiveIndicator.module.css';

/** Shows whether the page is current, and how old its data may be. */
export function LiveIndicator() {
  const { status, since } = useLiveState();
  const { label, hint } = useStatusLabel(status, since);
  return (
    <Tooltip label={hint} multiline maw={300}>
      <span className={styles.indicator} data-status={status} tabIndex={0} role="status">
        <span className={styles.dot} />
        <span className={styles.words}>{label}</span>
        <span className="unseen">{hint}</span>
      </span>
    </Tooltip>
  );
}

function useStatusLabel(status: LiveStatus, since: number | undefined): { label: string; hint: string } {
  const t = useText(shellMessages);
  const { duration } = useFormat();
  const now = useNow();
  const age = since === undefined ? '' : duration(Math.max(0, Math.round((now - since) / 1000)) * 1000);
  switch (status) {
    case 'off':
      return { label: t('liveOff'), hint: t('liveOffHint') };
    case 'connecting':
      return { label: t('connecting'), hint: t('connectingHint') };
    case 'live':
      return { label: t('live'), hint: t('liveHint', { age }) };
    case 'asleep':
      return { label: t('asleep'), hint: t('asleepHint') };
    case 'lost':
      return since === undefined ? { label: t('lostNever'), hint: t('connectingHint') } : { label: t('lost', { age }), hint: t('lostHint', { age }) };
  }
}
