import { Box, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { ProblemBanner, StatusChip } from '@/ui';
import { Empty } from '@/ui/table';
import own from './CrashLosses.module.css';
import { adviceOf, crashMessages } from './crashMessages';
import { report, type Finding, type SystemReport } from './queries';
import styles from './System.module.css';

const tones: Readonly<Record<Finding['level'], Tone>> = { ok: 'ok', risk: 'warn', unknown: 'info', broken: 'bad' };

const happenings = ['process', 'machine', 'failover', 'memory'] as const;

/** The possible losses at a crash of an engine, if the user may see them. */
export function CrashLosses() {
  const may = useMay();
  return may('system:read') ? <Losses /> : null;
}

function Losses() {
  const { data, error, refetch } = useQuery(report);
  if (error !== null && data === undefined) return <ProblemBanner error={error} retry={() => void refetch()} />;
  return data === undefined ? null : <LossTable report={data} />;
}

/** A table of the settings that endanger a promise, with the possible loss per event and the recommended change. */
export function LossTable({ report: { findings, redis, clocks } }: { report: SystemReport }) {
  const t = useText(crashMessages);
  const open = findings.filter(({ level }) => level !== 'ok');
  return (
    <Paper component="section" p="lg" aria-labelledby="losses">
      <Group gap="xs" mb="xs">
        <Title order={2} id="losses">
          {t('title')}
        </Title>
        {open.length > 0 && <StatusChip tone="warn">{t('count', { n: open.length })}</StatusChip>}
      </Group>
      {open.length === 0 ? (
        <Empty title={t('nothingFound')} hint={t('nothingFoundHint')} />
      ) : (
        <>
          <Text c="dimmed" size="sm" mb="xs">
            {t('what')}
          </Text>
          <div className={styles.scroll} tabIndex={0} role="group" aria-labelledby="losses">
            <table className={styles.table} aria-labelledby="losses">
              <thead>
                <tr>
                  <th scope="col">{t('setting')}</th>
                  <th scope="col">{t('is')}</th>
                  {happenings.map((happening) => (
                    <th key={happening} scope="col">
                      {t(happening)}
                    </th>
                  ))}
                  <th scope="col">{t('todo')}</th>
                </tr>
              </thead>
              <tbody>
                {open.map((finding) => (
                  <Row key={`${finding.engine} ${String(finding.node)} ${finding.name}`} finding={finding} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      <Measured redis={redis} clocks={clocks} />
    </Paper>
  );
}

function Row({ finding }: { finding: Finding }) {
  const t = useText(crashMessages);
  const { engine, node, name, value, level, loss, want = '' } = finding;
  return (
    <tr>
      <th scope="row" className={own.setting}>
        {t(engine)}
        {node !== undefined && ` ${t('node', { n: node })}`} {name !== engine && <span className="mono">{name}</span>}
      </th>
      <td>{value === undefined ? <StatusChip tone={tones[level]}>{t(`level_${level}`)}</StatusChip> : <span className="mono">{value}</span>}</td>
      {happenings.map((happening) => {
        const extent = loss[happening];
        return <td key={happening}>{extent !== undefined && t(`extent_${extent}`)}</td>;
      })}
      <td className={own.advice}>{t(adviceOf(finding), { want })}</td>
    </tr>
  );
}

/** The memory usage of each Redis, and the clock offsets. */
function Measured({ redis, clocks }: Pick<SystemReport, 'redis' | 'clocks'>) {
  const t = useText(crashMessages);
  if (redis.length + clocks.length === 0) return null;
  return (
    <Box component="ul" className={styles.checks} mt="sm">
      {redis.map(({ node, usedBytes, limitBytes, evictedKeys }) => (
        <li key={`redis ${String(node)}`}>
          {t(limitBytes === 0 ? 'memoryOpen' : 'memoryOf', {
            node: node === undefined ? '' : ` ${t('node', { n: node })}`,
            used: megabytes(usedBytes),
            limit: megabytes(limitBytes),
          })}
          {evictedKeys > 0 && <StatusChip tone="bad">{t('evicted', { n: evictedKeys })}</StatusChip>}
        </li>
      ))}
      {clocks.map(({ engine, node, skewSeconds, errorSeconds }) => (
        <li key={`${engine} ${String(node)}`}>
          {t('clock', {
            engine: t(engine) + (node === undefined ? '' : ` ${t('node', { n: node })}`),
            skew: signed(skewSeconds),
            error: (errorSeconds * 1000).toFixed(1),
          })}
        </li>
      ))}
    </Box>
  );
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

const signed = (seconds: number) => `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(3)}`;
