import { Progress, Skeleton } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readSales, saleStats, type Sale } from '@/features/flash-sales/queries';
import { SaleStatusChip } from '@/features/flash-sales/SaleStatusChip';
import { useFormat, useText } from '@/i18n';
import { ProblemBanner, Section } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The number of sales displayed per status, and the refresh interval in ms. */
const shown = 5;
const pause = 5_000;

/** The open and paused flash sales, with the remaining units and the revenue of each. */
export function LiveSales() {
  const t = useText(dashboardMessages);
  const queries = useQueries({
    queries: (['open', 'paused'] as const).map((status) => ({
      queryKey: ['flash-sales', 'list', 'dashboard', status],
      queryFn: ({ signal }: { signal: AbortSignal }) => readSales({ status, limit: shown }, signal),
    })),
  });
  const error = queries.find((query) => query.error !== null)?.error ?? null;
  const isPending = error === null && queries.some((query) => query.isPending);
  const sales = queries.flatMap(({ data }) => data?.items ?? []);
  return (
    <Section title={t('liveSales')} action={<Link to="/flash-sales">{t('allSales')}</Link>}>
      {error !== null && <ProblemBanner error={error} retry={() => queries.forEach((query) => void query.refetch())} />}
      {isPending && <Skeleton h={40} />}
      {error === null && !isPending && sales.length === 0 && <p className={styles.note}>{t('noSales')}</p>}
      <ul className={styles.list}>
        {sales.map((sale) => (
          <SaleRow key={sale.id} sale={sale} />
        ))}
      </ul>
    </Section>
  );
}

function SaleRow({ sale: { id, name, status, price } }: { sale: Sale }) {
  const t = useText(dashboardMessages);
  const { number, money } = useFormat();
  const stats = useQuery({ ...saleStats(id), refetchInterval: pause }).data?.stats;
  return (
    <li className={styles.row}>
      <span className={styles.what}>
        <Link to="/flash-sales/$id" params={{ id: String(id) }}>
          {name}
        </Link>{' '}
        <SaleStatusChip status={status} />
      </span>
      {stats !== undefined && (
        <>
          <Progress
            className={styles.progress}
            value={stats.allotted === 0 ? 0 : (100 * (stats.allotted - stats.remaining)) / stats.allotted}
            aria-hidden="true"
          />
          <span className={`${styles.end ?? ''} tabular`}>
            {t('left', { remaining: number(stats.remaining), allotted: number(stats.allotted) })}
            {` · ${t('sold', { amount: money(stats.confirmed * price) })}`}
            {stats.queued > 0 && ` · ${t('queued', { n: stats.queued })}`}
          </span>
        </>
      )}
    </li>
  );
}
