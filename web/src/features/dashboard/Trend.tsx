import type { Overview } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Section } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

type Day = NonNullable<Overview['ordersByDay']>[number];

/** The number of orders placed per day, and the revenue of the paid ones, in separate charts. */
export function Trend({ days }: { days: readonly Day[] }) {
  const t = useText(dashboardMessages);
  const { number, money } = useFormat();
  const sum = (of: (day: Day) => number) => days.reduce((all, day) => all + of(day), 0);
  return (
    <Section title={t('trend')} hint={t('trendHint')}>
      <div className={styles.charts}>
        <Bars title={t('ordersPlaced')} total={number(sum(({ placed }) => placed))} days={days} value={({ placed }) => placed} write={number} />
        <Bars title={t('revenue')} total={money(sum(({ amount }) => amount))} days={days} value={({ amount }) => amount} write={money} tone="ok" />
      </div>
    </Section>
  );
}

interface BarsProps {
  title: string;
  total: string;
  days: readonly Day[];
  value: (day: Day) => number;
  write: (value: number) => string;
  tone?: 'ok';
}

/** One bar per day, the last for today. Each bar has a label, and the chart has a summary for screen readers. */
function Bars({ title, total, days, value, write, tone }: BarsProps) {
  const t = useText(dashboardMessages);
  const { date } = useFormat();
  const most = Math.max(1, ...days.map(value));
  const [first, last] = [days[0], days.at(-1)];
  const said = (day: Day) => `${date(`${day.day}T12:00:00`)}: ${write(value(day))}`;
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        <span className={styles.label}>{title}</span>
        <span className="tabular">{t('inAll', { total })}</span>
      </figcaption>
      <div className={styles.bars} data-tone={tone} role="img" aria-label={`${title}. ${days.map(said).join('; ')}`}>
        {days.map((day) => (
          <span key={day.day} className={styles.slot} title={said(day)}>
            <span className={styles.bar} style={{ height: `${(value(day) / most) * 100}%` }} data-none={value(day) === 0 || undefined} />
          </span>
        ))}
      </div>
      <div className={styles.ends} aria-hidden="true">
        <span>{first !== undefined && date(`${first.day}T12:00:00`)}</span>
        <span>{last !== undefined && t('today', { value: write(value(last)) })}</span>
      </div>
    </figure>
  );
}
