import { Loader, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMay } from '@/api';
import { contentOfConfig } from '@/features/configs/editor/form';
import { configHistory } from '@/features/configs/queries';
import { useConfigLabels } from '@/features/configs/useConfigWords';
import { useText } from '@/i18n';
import { diff } from '@/merge';
import { Difference, ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { auditMessages } from './messages';

interface Props {
  configKey: string;
  versions: { from: number; to: number };
  /** The time of the change. A version number alone is ambiguous, because a key can be deleted and created again. */
  at: string;
}

/** The difference of a config change. Both versions are in the history, which is read page by page until they are found. */
export function ConfigChange(props: Props) {
  const t = useText(auditMessages);
  return useMay()('configs:read') ? <Read {...props} /> : <Text c="dimmed">{t('mayNotRead', { permission: 'configs:read' })}</Text>;
}

function Read({ configKey, versions: { from, to }, at }: Props) {
  const t = useText(auditMessages);
  const ui = useText(uiMessages);
  const labels = useConfigLabels();
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery(configHistory(configKey));
  const revisions = data?.pages.flatMap(({ items }) => items) ?? [];
  const place = revisions.findIndex(({ version, changedTime }) => version === to && changedTime === at);
  const [after, before] = [revisions[place], revisions.slice(place).find(({ version }) => version === from)];
  const isMissing = after === undefined || before === undefined;
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetching) void fetchNextPage();
  }, [isMissing, hasNextPage, isFetching, fetchNextPage]);
  if (error !== null) return <ProblemBanner error={error} retry={() => void refetch()} />;
  if (isMissing) return isFetching || hasNextPage ? <Loader role="img" aria-label={ui('loading')} size="sm" /> : <Text c="dimmed">{t('historyDeleted')}</Text>;
  return (
    <>
      <Difference changes={diff(contentOfConfig(before), contentOfConfig(after))} labels={labels} max={100} />
      <Link to="/configs/$key" params={{ key: configKey }} search={{ tab: 'history', from, to }}>
        {t('sideBySide')}
      </Link>
    </>
  );
}
