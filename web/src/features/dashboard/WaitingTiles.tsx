import { Link } from '@tanstack/react-router';
import type { Overview } from '@/api';
import { useFormat, useText } from '@/i18n';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** How many wait for what; each leads to the list of just those. */
export function WaitingTiles({ data: { ordersByStatus, couponsExpiringSoon } }: { data: Overview }) {
  const t = useText(dashboardMessages);
  if (ordersByStatus === undefined && couponsExpiringSoon === undefined) return null;
  return (
    <section aria-label={t('waiting')}>
      <ul className={styles.tiles}>
        {ordersByStatus !== undefined &&
          (['pending', 'paid', 'shipped'] as const).map((status) => (
            <li key={status}>
              <Link to="/orders" search={{ status }} className={styles.tile}>
                <Words label={t(status)} number={ordersByStatus[status]} hint={t(`${status}Hint`)} />
              </Link>
            </li>
          ))}
        {couponsExpiringSoon !== undefined && (
          <li>
            <Link to="/coupons" search={{ status: 'unused', expiresIn: '7' }} className={styles.tile}>
              <Words label={t('expiring')} number={couponsExpiringSoon} hint={t('expiringHint')} />
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}

function Words({ label, number, hint }: { label: string; number: number; hint: string }) {
  const format = useFormat();
  return (
    <>
      <span className={styles.label}>{label}</span>
      <span className={styles.number} data-none={number === 0 || undefined}>
        {format.number(number)}
      </span>
      <span className={styles.hint}>{hint}</span>
    </>
  );
}
