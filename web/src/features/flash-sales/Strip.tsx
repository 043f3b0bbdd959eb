import { Button, Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { Banner, StatusChip } from '@/ui';
import { balanceOf, places } from './balance';
import { saleMessages } from './messages';
import type { SaleStats } from './queries';
import styles from './Strip.module.css';

interface Props {
  stats: SaleStats;
  /** Compares every ticket with its order; undefined if the user may not. */
  onReconcile: (() => void) | undefined;
  isReconciling: boolean;
  /** The result of the last reconciliation. */
  children?: ReactNode;
}

/** A bar with the number of allotted units per location. If the numbers do not add up, it is red and states the difference. */
export function Strip({ stats, onReconcile, isReconciling, children }: Props) {
  const t = useText(saleMessages);
  const { number } = useFormat();
  const { holds, counted, difference, negative } = balanceOf(stats);
  const label = [t('allotted', { n: stats.allotted }), ...places.map((place) => `${t(place)} ${number(stats[place])}`)].join(', ');
  return (
    <Paper component="section" p="lg" className={styles.strip} data-holds={holds} aria-labelledby="strip">
      <div className={styles.head}>
        <Title order={2} id="strip" className={`${styles.title ?? ''} tabular`}>
          {t('allotted', { n: stats.allotted })}
        </Title>
        <span className={styles.equation}>{t('equation')}</span>
        <span className={styles.end}>
          <StatusChip tone={holds ? 'ok' : 'bad'}>
            {holds ? '✓ ' : '✗ '}
            {t(holds ? 'balanced' : 'unbalanced')}
          </StatusChip>
          {onReconcile !== undefined && (
            <Button size="compact-sm" loading={isReconciling} onClick={onReconcile}>
              {t('reconcile')}
            </Button>
          )}
        </span>
      </div>
      <div className={styles.bar} role="img" aria-label={label}>
        {places.map((place) => stats[place] > 0 && <span key={place} data-place={place} style={{ flexGrow: stats[place] }} />)}
        {difference > 0 && <span data-place="missing" style={{ flexGrow: difference }} />}
      </div>
      <ul className={styles.legend}>
        {places.map((place) => (
          <li key={place}>
            <span className={styles.swatch} data-place={place} aria-hidden="true" />
            {t(place)} <strong>{number(stats[place])}</strong>
          </li>
        ))}
        <li className={styles.back}>{t('returnedUnits', { rejected: stats.rejected, returned: stats.returned })}</li>
      </ul>
      {!holds && (
        <Banner
          tone="bad"
          title={[
            difference > 0 && t('missing', { n: difference, counted, allotted: stats.allotted }),
            difference < 0 && t('tooManyCounted', { n: -difference, counted, allotted: stats.allotted }),
            negative.length > 0 && t('negative', { places: negative.map((place) => t(place)).join(', ') }),
            difference === 0 && negative.length === 0 && t('disagrees'),
          ]
            .filter((labels) => labels !== false)
            .join(' ')}
        >
          {t('unbalancedHint')}
        </Banner>
      )}
      {children}
    </Paper>
  );
}
