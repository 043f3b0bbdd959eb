import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bars, type Bar } from '@/features/reports/Bars';
import { salesReport, type SalesRow } from '@/features/reports/queries';
import { useFormat, useText } from '@/i18n';
import { ProblemBanner, Section } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The number of days of a period. */
const days = 14;

/** The paid orders and net sales per day, next to the period before, in the shop's zone. */
export function Trend() {
  const t = useText(dashboardMessages);
  const { number, money, signed, date } = useFormat();
  const { data, error, refetch } = useQuery(salesReport({}));
  const rows = data?.rows ?? [];
  const [period, before] = [rows.slice(-days), rows.slice(-2 * days, -days)];
  const bars = (of: (row: SalesRow) => number): Bar[] =>
    period.map((row, i) => {
      const earlier = before[i];
      return { label: date(`${row.key}T12:00:00`), value: of(row), before: earlier && of(earlier) };
    });
  const caption = (of: (row: SalesRow) => number, write: (value: number) => string) => {
    const [sum, past] = [period, before].map((part) => part.reduce((all, row) => all + of(row), 0)) as [number, number];
    const change = past > 0 ? t('against', { percent: signed(Math.round((100 * (sum - past)) / past)), n: days }) : t('inAll');
    return `${write(sum)} · ${change}`;
  };
  const chart = (title: string, of: (row: SalesRow) => number, write: (value: number) => string, tone?: 'ok') => (
    <Bars title={title} caption={caption(of, write)} bars={bars(of)} write={write} compare={(value, earlier) => t('compare', { value, earlier })} tone={tone} />
  );
  return (
    <Section title={t('trend')} hint={t('trendHint', { n: days, zone: data?.zone ?? '…' })} action={<Link to="/reports/sales">{t('toReport')}</Link>}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={170} />}
      {data !== undefined && (
        <div className={styles.charts}>
          {chart(t('ordersPaid'), ({ orders }) => orders, number)}
          {chart(t('netSales'), ({ net }) => net ?? 0, money, 'ok')}
        </div>
      )}
    </Section>
  );
}
