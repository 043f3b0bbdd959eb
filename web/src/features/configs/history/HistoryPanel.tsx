import { Paper, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useText } from '@/i18n';
import { ProblemBanner } from '@/ui';
import { configHistory } from '../editor/queries';
import styles from './History.module.css';
import { livesOf } from './lives';
import { historyMessages } from './messages';
import { VersionEntry } from './VersionEntry';

const shown = 6;

/** The newest versions beside the form, and which of them the form stands on. */
export function HistoryPanel({ configKey, baseVersion }: { configKey: string; baseVersion: number }) {
  const t = useText(historyMessages);
  const { data, error, refetch } = useInfiniteQuery(configHistory(configKey));
  const steps = useMemo(() => livesOf(data?.pages.flatMap(({ items }) => items) ?? [])[0] ?? [], [data]);
  const total = data?.pages[0]?.total ?? 0;
  return (
    <Paper component="aside" className={styles.panel} aria-labelledby="versions">
      <Title order={2} id="versions" className={styles.title}>
        {t('history')}
      </Title>
      {error !== null && data === undefined && <ProblemBanner error={error} retry={() => void refetch()} />}
      <ol className={styles.line}>
        {steps.slice(0, shown).map((step) => (
          <VersionEntry key={step.revision.revision} step={step} isBase={step.revision.version === baseVersion} isNewer={step.revision.version > baseVersion} />
        ))}
      </ol>
      {total > 0 && (
        <Link to="/configs/$key" params={{ key: configKey }} search={{ tab: 'history' }}>
          {t('all', { n: total })}
        </Link>
      )}
    </Paper>
  );
}
