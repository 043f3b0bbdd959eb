import { Paper, SegmentedControl, Skeleton, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useFormat, useText } from '@/i18n';
import { useNow } from '@/ui';
import type { LineTone } from './Chart';
import styles from './Charts.module.css';
import { columnsOf, ranges, refusedSoFar, type Line, type Range } from './feed';
import { saleMessages } from './messages';
import type { Sale, SaleStats } from './queries';
import type { Following } from './useFeed';

/** The chart imports a plotting library that only this page needs. */
const Chart = lazy(() => import('./Chart'));

interface Row {
  name: string;
  tone: LineTone;
  value: Line;
  filled?: boolean;
  /** Whether the value is a time in seconds, on the other axis. */
  aside?: boolean;
}

interface Props {
  sale: Sale;
  following: Following;
  range: Range;
  onRange: (range: Range) => void;
}

/**
 * The charts of a sale: sales rate, arrivals and rejections, queue, and unsold units. The lines of a
 * chart have the same unit, except the age of the oldest ticket, which is in seconds on its axis.
 */
export function Charts({ sale, following, range, onRange }: Props) {
  const t = useText(saleMessages);
  const { dateTime } = useFormat();
  const { feed, end } = following;
  const last = feed.at(-1)?.stats;
  const refused = last === undefined ? 0 : refusedSoFar(last);
  return (
    <>
      <div className={styles.range}>
        <span className={styles.unit}>{end !== undefined && t('lastNumbers', { time: dateTime(end) })}</span>
        <SegmentedControl
          aria-label={t('range')}
          size="xs"
          value={String(range)}
          data={ranges.map((one) => ({ value: String(one), label: t('minutes', { n: one }) }))}
          onChange={(value) => onRange(ranges.find((one) => String(one) === value) ?? range)}
        />
      </div>
      <div className={styles.charts}>
        <Panel
          id="pace"
          title={t('chartPace')}
          unit={t('chartPaceUnit')}
          of={following}
          range={range}
          rows={[
            { name: t('accepted'), tone: 'info', filled: true, value: (stats) => stats.acceptedPerSecond },
            { name: t('confirmedLine'), tone: 'ok', value: (stats) => stats.confirmedPerSecond },
          ]}
        />
        <Panel
          id="arrivals"
          title={t('chartArrivals')}
          unit={t('chartArrivalsUnit')}
          note={t('refusedSoFar', { n: refused })}
          of={following}
          range={range}
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
          note={sale.queueCap === null ? t('noCap') : t('cap', { n: sale.queueCap })}
          of={following}
          range={range}
          rows={[
            { name: t('queuedLine'), tone: 'warn', filled: true, value: (stats) => stats.queued },
            { name: t('oldestLine'), tone: 'info', aside: true, value: (stats) => stats.oldestQueuedSeconds },
          ]}
        />
        <Panel
          id="back"
          title={t('chartBack')}
          unit={t('chartBackUnit')}
          of={following}
          range={range}
          rows={[
            { name: t('rejectedLine'), tone: 'dimmed', value: (stats) => stats.rejected },
            { name: t('returnedLine'), tone: 'warn', value: (stats) => stats.returned },
            { name: t('deadLine'), tone: 'bad', value: (stats) => stats.dead },
          ]}
        />
      </div>
    </>
  );
}

interface PanelProps {
  id: string;
  title: string;
  unit: string;
  note?: string;
  of: Following;
  range: Range;
  rows: readonly Row[];
}

function Panel({ id, title, unit, note, of: { feed, end }, range, rows }: PanelProps) {
  const t = useText(saleMessages);
  const { number, duration } = useFormat();
  const now = useNow();
  const last: SaleStats | undefined = feed.at(-1)?.stats;
  const rounded = (value: number) => number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
  const seconds = (value: number) => (value === 0 ? '0' : duration(value * 1000));
  const values = rows.map(({ name, tone, value, aside = false }) => ({
    name,
    tone,
    labels: last === undefined ? t('never') : (aside ? seconds : rounded)(value(last)),
  }));
  const said = t('chartSummary', { title, unit, values: values.map(({ name, labels }) => t('valueOf', { name, value: labels })).join(', ') });
  return (
    <Paper component="section" className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <Title order={2} id={id} className={styles.title}>
          {title}
        </Title>
        <span className={styles.unit}>{unit}</span>
        <span className={styles.end}>{note}</span>
      </div>
      <div role="img" aria-label={said} className={styles.canvas}>
        <Suspense fallback={<Skeleton height={170} />}>
          <Chart
            lines={rows.map(({ tone, filled, aside }) => ({ tone, filled, aside }))}
            columns={columnsOf(
              feed,
              rows.map(({ value }) => value),
              end ?? now,
              range,
            )}
            format={rounded}
            formatAside={seconds}
          />
        </Suspense>
      </div>
      <ul className={styles.legend}>
        {values.map(({ name, tone, labels }) => (
          <li key={name}>
            <span className={styles.swatch} data-tone={tone} aria-hidden="true" />
            {name} <strong>{labels}</strong>
          </li>
        ))}
      </ul>
    </Paper>
  );
}
