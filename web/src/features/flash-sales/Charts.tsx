import { Paper, Skeleton, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useFormat, useText } from '@/i18n';
import { useNow } from '@/ui';
import type { LineTone } from './Chart';
import styles from './Charts.module.css';
import { columnsOf, refusedSoFar, type Feed, type Line } from './feed';
import { saleMessages } from './messages';
import type { Sale, SaleStats } from './queries';

/** It brings a plotting library, which only this page needs. */
const Chart = lazy(() => import('./Chart'));

interface Row {
  name: string;
  tone: LineTone;
  value: Line;
  filled?: boolean;
  /** A time in seconds, measured at the other side. */
  aside?: boolean;
}

/** The last minutes of a sale: how fast its units go, who came and was turned away, its queue, and what was not sold. A chart has lines of one unit. */
export function Charts({ sale, feed }: { sale: Sale; feed: Feed }) {
  const t = useText(saleMessages);
  const last = feed.at(-1)?.stats;
  const refused = last === undefined ? 0 : refusedSoFar(last);
  return (
    <div className={styles.charts}>
      <Panel
        id="pace"
        title={t('chartPace')}
        unit={t('chartPaceUnit')}
        end={t('lastMinutes')}
        feed={feed}
        rows={[
          { name: t('accepted'), tone: 'info', filled: true, value: (stats) => stats.acceptedPerSecond },
          { name: t('confirmedLine'), tone: 'ok', value: (stats) => stats.confirmedPerSecond },
        ]}
      />
      <Panel
        id="arrivals"
        title={t('chartArrivals')}
        unit={t('chartArrivalsUnit')}
        end={t('refusedSoFar', { n: refused })}
        feed={feed}
        rows={[
          { name: t('arrivals'), tone: 'accent', filled: true, value: (stats) => stats.arrivalsPerSecond },
          { name: t('soldOutLine'), tone: 'dimmed', value: (stats) => stats.refusedPerSecond.soldOut },
          { name: t('limitLine'), tone: 'warn', value: (stats) => stats.refusedPerSecond.limitReached },
          { name: t('notOpenLine'), tone: 'info', value: (stats) => stats.refusedPerSecond.saleNotOpen },
          { name: t('fullLine'), tone: 'bad', value: (stats) => stats.refusedPerSecond.queueFull },
        ]}
      />
      <Panel
        id="queue"
        title={t('chartQueue')}
        unit={t('chartQueueUnit')}
        end={sale.queueCap === null ? t('noCap') : t('cap', { n: sale.queueCap })}
        feed={feed}
        rows={[
          { name: t('queuedLine'), tone: 'warn', filled: true, value: (stats) => stats.queued },
          { name: t('oldestLine'), tone: 'info', aside: true, value: (stats) => stats.oldestQueuedSeconds },
        ]}
      />
      <Panel
        id="back"
        title={t('chartBack')}
        unit={t('chartBackUnit')}
        end={t('lastMinutes')}
        feed={feed}
        rows={[
          { name: t('rejectedLine'), tone: 'dimmed', value: (stats) => stats.rejected },
          { name: t('returnedLine'), tone: 'warn', value: (stats) => stats.returned },
          { name: t('deadLine'), tone: 'bad', value: (stats) => stats.dead },
        ]}
      />
    </div>
  );
}

interface PanelProps {
  id: string;
  title: string;
  unit: string;
  end: string;
  feed: Feed;
  rows: readonly Row[];
}

function Panel({ id, title, unit, end, feed, rows }: PanelProps) {
  const t = useText(saleMessages);
  const { number, duration } = useFormat();
  const now = useNow();
  const last: SaleStats | undefined = feed.at(-1)?.stats;
  const rounded = (value: number) => number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
  const seconds = (value: number) => (value === 0 ? '0' : duration(value * 1000));
  const values = rows.map(({ name, tone, value, aside = false }) => ({
    name,
    tone,
    words: last === undefined ? t('never') : (aside ? seconds : rounded)(value(last)),
  }));
  const said = t('chartSays', { title, unit, values: values.map(({ name, words }) => t('valueOf', { name, value: words })).join(', ') });
  return (
    <Paper component="section" className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <Title order={2} id={id} className={styles.title}>
          {title}
        </Title>
        <span className={styles.unit}>{unit}</span>
        <span className={styles.end}>{end}</span>
      </div>
      <div role="img" aria-label={said} className={styles.canvas}>
        <Suspense fallback={<Skeleton height={170} />}>
          <Chart
            lines={rows.map(({ tone, filled, aside }) => ({ tone, filled, aside }))}
            columns={columnsOf(
              feed,
              rows.map(({ value }) => value),
              now,
            )}
            format={rounded}
            formatAside={seconds}
          />
        </Suspense>
      </div>
      <ul className={styles.legend}>
        {values.map(({ name, tone, words }) => (
          <li key={name}>
            <span className={styles.swatch} data-tone={tone} aria-hidden="true" />
            {name} <strong>{words}</strong>
          </li>
        ))}
      </ul>
    </Paper>
  );
}
