import { Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { PageHeader, ProblemBanner, StatusChip, useNow } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { CrashLosses } from './CrashLosses';
import { LockTable } from './LockTable';
import { systemMessages } from './messages';
import { overview, readiness } from './queries';
import { QueueTable } from './QueueTable';
import styles from './System.module.css';

/** The queues, the locks and the state of the engines, refreshed every two seconds. */
export function SystemPage() {
  const t = useText(systemMessages);
  const ui = useText(uiMessages);
  const { data, error, dataUpdatedAt, refetch } = useQuery(overview());
  return (
    <>
      <PageHeader title={t('title')}>{data !== undefined && <DataAge since={dataUpdatedAt} failing={error !== null} />}</PageHeader>
      <Stack gap="md">
        <Engines />
        <CrashLosses />
        {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        {data !== undefined && <QueueTable queues={data.queues} />}
        {data !== undefined && <LockTable locks={data.locks} />}
      </Stack>
    </>
  );
}

/** The age of the displayed data. */
function DataAge({ since, failing }: { since: number; failing: boolean }) {
  const t = useText(systemMessages);
  const { duration } = useFormat();
  const age = duration(Math.max(1, Math.round((useNow() - since) / 1000)) * 1000);
  return <span className={`tabular ${(failing ? styles.stale : styles.age) ?? ''}`}>{t(failing ? 'stale' : 'age', { age })}</span>;
}

function Engines() {
  const t = useText(systemMessages);
  const { data, error, refetch } = useQuery(readiness());
  return (
    <Paper component="section" p="lg" aria-labelledby="health">
      <Group gap="xs" mb="sm">
        <Title order={2} id="health">
          {t('health')}
        </Title>
        {data !== undefined && <StatusChip tone={data.status === 'ready' ? 'ok' : 'bad'}>{t(data.status === 'ready' ? 'ready' : 'notReady')}</StatusChip>}
      </Group>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      <ul className={styles.checks}>
        {data?.checks.map(({ name, ok, detail }) => (
          <li key={name}>
            <span className="mono">{name}</span>
            <StatusChip tone={ok ? 'ok' : 'bad'}>{t(ok ? 'working' : 'broken')}</StatusChip>
            {detail !== undefined && detail !== '' && (
              <Text span c="dimmed" size="sm">
                {detail}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Paper>
  );
}
