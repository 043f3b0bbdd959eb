import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lowFirst, readStocks } from '@/features/inventory/queries';
import { StockChip } from '@/features/inventory/StockChip';
import { useFormat, useText } from '@/i18n';
import { ProblemBanner, Section } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The maximum available quantity of a listed item, and the number of items displayed. */
const low = 10;
const shown = 6;

/** The items with the lowest stock. */
export function LowStock() {
  const t = useText(dashboardMessages);
  const { number } = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: ['inventory', 'list', 'dashboard'],
    queryFn: ({ signal }) => readStocks({ maxAvailable: low, sort: lowFirst, limit: shown }, signal),
  });
  const search = { maxAvailable: low };
  return (
    <Section
      title={t('lowStock')}
      action={
        data !== undefined &&
        data.total > 0 && (
          <Link to="/inventory" search={search}>
            {t('allLow', { n: data.total })}
          </Link>
        )
      }
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={40 * shown} />}
      {data?.items.length === 0 && <p className={styles.note}>{t('enough', { n: low })}</p>}
      <ul className={styles.list}>
        {data?.items.map(({ sku, available }) => (
          <li key={sku} className={styles.row}>
            <span className={styles.what}>
              <Link to="/items/$sku" params={{ sku }}>
                <span className="mono">{sku}</span>
              </Link>
            </span>
            <StockChip available={available} />
            <span className={styles.count}>{number(available)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
