import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, History, OutcomeNotice, ProblemBanner, StatusChip, useNameLists, When } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { configHistory, type Config, type ConfigRevision } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { livesOf } from './lives';
import { historyMessages } from './messages';
import { useRollback } from './useRollback';
import { VersionDiff } from './VersionDiff';

interface Props {
  config: Config;
  /** Whether the config was deleted, so that no rollback is possible. */
  gone: boolean;
  from: number | undefined;
  to: number | undefined;
  onRolledBack: (record: Config) => void;
}

const places = 20;

/** Every version of a config, with comparison and rollback. */
export function HistoryView({ config, gone, from, to, onRolledBack }: Props) {
  const t = useText(historyMessages);
  const edit = useText(editMessages);
  const labels = useConfigLabels();
  const { who } = useNameLists(labels);
  const history = useInfiniteQuery(configHistory(config.key));
  const { data, hasNextPage, isFetching, fetchNextPage } = history;
  const lives = useMemo(() => livesOf(data?.pages.flatMap(({ items }) => items) ?? []), [data]);
  const [life = []] = lives;
  const { write, raced, ask } = useRollback(config, onRolledBack);
  const mayWrite = useMay()('configs:write') && !gone;

  // A version in the address may be on a page that is not loaded yet.
  const oldest = life.at(-1)?.revision.version ?? Infinity;
  const needsOlder = from !== undefined && oldest > Math.min(from, to ?? from);
  useEffect(() => {
    if (needsOlder && hasNextPage && !isFetching) void fetchNextPage();
  }, [needsOlder, hasNextPage, isFetching, fetchNextPage]);

  const actionsOf = (revision: ConfigRevision) => {
    const { version, action } = revision;
    if (version === config.version || gone) return undefined;
    return (
      <>
        <Link
          to="/configs/$key"
          params={{ key: config.key }}
          search={{ tab: 'history', from: version, to: config.version }}
          aria-label={t('compareWith', { version: String(version) })}
        >
          {edit('compare')}
        </Link>
        {mayWrite && action !== 'delete' && (
          <Button
            size="compact-sm"
            loading={write.outcome === 'sending' && write.sent?.version === version}
            disabled={write.outcome === 'unknown'}
            aria-label={t('rollBackTo', { version: String(version) })}
            onClick={() => void ask(revision)}
          >
            {t('rollBack')}
          </Button>
        )}
      </>
    );
  };
  return (
    <Stack gap="md">
      <OutcomeNotice write={write} />
      {raced !== undefined && (
        <Banner tone="warn" title={t.rich('raced', { who: who(raced.updatedBy), theirs: String(raced.version), when: <When time={raced.updatedTime} /> })}>
          {t('racedHint')}
        </Banner>
      )}
      {write.outcome === 'rejected' && raced === undefined && <ProblemBanner error={write.error} />}
      {from !== undefined && data !== undefined && !(needsOlder && hasNextPage) && (
        <VersionDiff configKey={config.key} versions={life.map(({ revision }) => revision)} from={from} to={to ?? config.version} />
      )}
      <History
        query={history}
        labels={labels}
        maxPaths={places}
        entries={lives.flatMap((steps, age) =>
          steps.map(({ revision, changes }, i) => ({
            ...revision,
            id: revision.revision,
            action: t(revision.action),
            changes,
            heading: age > 0 && i === 0 ? t('earlier') : undefined,
            marks: age === 0 && revision.version === config.version && !gone && <StatusChip tone="accent">{t('current')}</StatusChip>,
            actions: age === 0 ? actionsOf(revision) : undefined,
          })),
        )}
      />
    </Stack>
  );
}
