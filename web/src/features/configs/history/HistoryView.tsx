import { Button, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { uiMessages } from '@/ui/messages';
import { Banner, ProblemBanner, When } from '@/ui';
import { configHistory, type ConfigRevision } from '../editor/queries';
import { useWords } from '../editor/words';
import type { Config } from '../queries';
import styles from './History.module.css';
import { livesOf, type Step } from './lives';
import { historyMessages } from './messages';
import { useRollback } from './useRollback';
import { VersionDiff } from './VersionDiff';
import { VersionEntry } from './VersionEntry';

interface Props {
  config: Config;
  /** It was deleted: there is nothing to roll back. */
  gone: boolean;
  from: number | undefined;
  to: number | undefined;
  onRolledBack: (record: Config) => void;
}

/** Every version of a config: compare any two, and roll back to any. */
export function HistoryView({ config, gone, from, to, onRolledBack }: Props) {
  const t = useText(historyMessages);
  const ui = useText(uiMessages);
  const { who } = useWords();
  const history = useInfiniteQuery(configHistory(config.key));
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = history;
  const lives = useMemo(() => livesOf(data?.pages.flatMap(({ items }) => items) ?? []), [data]);
  const [life = [], ...earlier] = lives;
  const rollback = useRollback(config, onRolledBack);
  const mayWrite = useMay()('configs:write') && !gone;

  // A version named in the address may lie on a page that is not loaded yet.
  const oldest = life.at(-1)?.revision.version ?? Infinity;
  const isWanted = from !== undefined && oldest > Math.min(from, to ?? from);
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetching) void fetchNextPage();
  }, [isWanted, hasNextPage, isFetching, fetchNextPage]);

  const actions = ({ revision }: Step) =>
    revision.version !== config.version &&
    !gone && (
      <div className={styles.actions}>
        <Button
          size="compact-sm"
          renderRoot={(props) => (
            <Link {...props} to="/configs/$key" params={{ key: config.key }} search={{ tab: 'history', from: revision.version, to: config.version }} />
          )}
          aria-label={t('compareWith', { version: String(revision.version) })}
        >
          {t('compare')}
        </Button>
        {mayWrite && revision.action !== 'delete' && (
          <Button
            size="compact-sm"
            loading={rollback.isPending && rollback.variables.version === revision.version}
            aria-label={t('rollBackTo', { version: String(revision.version) })}
            onClick={() => void rollback.ask(revision)}
          >
            {t('rollBack')}
          </Button>
        )}
      </div>
    );
  const { raced } = rollback;
  return (
    <Stack gap="md">
      {raced !== undefined && (
        <Banner tone="warn" title={t.rich('raced', { who: who(raced.updatedBy), theirs: String(raced.version), when: <When time={raced.updatedTime} /> })}>
          {t('racedHint')}
        </Banner>
      )}
      {rollback.error !== null && <ProblemBanner error={rollback.error} />}
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {from !== undefined && data !== undefined && !(isWanted && hasNextPage) && (
        <VersionDiff configKey={config.key} versions={versionsOf(life)} from={from} to={to ?? config.version} />
      )}
      <Paper component="section" className={styles.card} aria-labelledby="versions">
        <Title order={2} id="versions" className={styles.title}>
          {t('history')}
        </Title>
        {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        <ol className={styles.line}>
          {life.map((step) => (
            <VersionEntry key={step.revision.revision} step={step} most={20} isCurrent={step.revision.version === config.version && !gone}>
              {actions(step)}
            </VersionEntry>
          ))}
        </ol>
        {earlier.map((steps) => (
          <section key={steps[0]?.revision.revision}>
            <Text fw={600} mt="md">
              {t('earlier')}
            </Text>
            <ol className={styles.line}>
              {steps.map((step) => (
                <VersionEntry key={step.revision.revision} step={step} most={20} />
              ))}
            </ol>
          </section>
        ))}
        {hasNextPage && (
          <Button mt="sm" loading={isFetching} onClick={() => void fetchNextPage()}>
            {t('older')}
          </Button>
        )}
      </Paper>
    </Stack>
  );
}

const versionsOf = (life: readonly Step[]): ConfigRevision[] => life.map(({ revision }) => revision);
