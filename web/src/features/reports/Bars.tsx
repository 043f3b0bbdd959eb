import type { ReactNode } from 'react';
import styles from './Bars.module.css';

export interface Bar {
  label: string;
  value: number;
  /** The value of the previous period. */
  before?: number;
}

interface Props {
  title: string;
  /** The sum and its comparison. */
  caption: ReactNode;
  bars: readonly Bar[];
  write: (value: number) => string;
  /** The text of a bar with a previous period. */
  compare?: (value: string, before: string) => string;
  tone?: 'ok';
}

/** A bar chart with its axes. Each bar has a title, and the chart has a summary for screen readers. */
export function Bars({ title, caption, bars, write, compare, tone }: Props) {
  const max = Math.max(0, ...bars.flatMap(({ value, before = 0 }) => [value, before]));
  const height = (value: number) => `${(Math.max(0, value) / (max || 1)) * 100}%`;
  const said = ({ label, value, before }: Bar) =>
    `${label}: ${before === undefined || compare === undefined ? write(value) : compare(write(value), write(before))}`;
  const middle = Math.floor((bars.length - 1) / 2);
  const ticks = [...new Set([0, middle, bars.length - 1])].flatMap((i) => bars[i] ?? []);
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        <span className={styles.title}>{title}</span>
        <span className="tabular">{caption}</span>
      </figcaption>
      <div className={styles.plot}>
        <div className={styles.axis} aria-hidden="true">
          <span>{max > 0 && write(max)}</span>
          <span>{write(0)}</span>
        </div>
        <div className={styles.bars} data-tone={tone} role="img" aria-label={`${title}. ${bars.map(said).join('; ')}`}>
          {bars.map((bar) => (
            <span key={bar.label} className={styles.slot} title={said(bar)}>
              {bar.before !== undefined && <span className={styles.before} style={{ height: height(bar.before) }} />}
              <span className={styles.bar} style={{ height: height(bar.value) }} data-none={bar.value === 0 || undefined} />
            </span>
          ))}
        </div>
        <div className={styles.days} aria-hidden="true">
          {ticks.map(({ label }) => (
            <span key={label}>{label}</span>
          ))}
        </div>
      </div>
    </figure>
  );
}
