import { Paper, Title } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { RecordLink } from '@/ui';
import { Empty } from '@/ui/table';
import { ofQueue } from './belongs';
import { systemMessages } from './messages';
import type { Queue } from './queries';
import styles from './System.module.css';

const counts = ['pending', 'claimed', 'delayed', 'dead'] as const;

/** Every queue with its message counts. */
export function QueueTable({ queues }: { queues: readonly Queue[] }) {
  const t = useText(systemMessages);
  const { number, duration } = useFormat();
  return (
    <Paper component="section" p="lg" aria-labelledby="queues">
      <Title order={2} id="queues" mb="xs">
        {t('queues')}
      </Title>
      {queues.length === 0 ? (
        <Empty title={t('noQueues')} hint={t('noQueuesHint')} />
      ) : (
        <div className={styles.scroll} tabIndex={0} role="group" aria-labelledby="queues">
          <table className={styles.table} aria-labelledby="queues">
            <thead>
              <tr>
                <th scope="col">{t('name')}</th>
                <th scope="col">{t('for')}</th>
                {counts.map((count) => (
                  <th key={count} scope="col" data-align="end">
                    {t(count)}
                  </th>
                ))}
                <th scope="col" data-align="end">
                  {t('oldest')}
                </th>
              </tr>
            </thead>
            <tbody>
              {queues.map((queue) => {
                const path = ofQueue(queue.name);
                return (
                  <tr key={queue.name}>
                    <td className="mono">{queue.name}</td>
                    <td>{path !== undefined && <RecordLink path={path} />}</td>
                    {counts.map((count) => (
                      <td key={count} data-align="end" className={count === 'dead' && queue.dead > 0 ? styles.dead : undefined}>
                        {number(queue[count])}
                      </td>
                    ))}
                    <td data-align="end">{queue.oldestSeconds > 0 && duration(queue.oldestSeconds * 1000)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Paper>
  );
}
