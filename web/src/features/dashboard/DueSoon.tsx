import { Link } from '@tanstack/react-router';
import type { Overview } from '@/api';
import { useText } from '@/i18n';
import { CustomerLink, Money, Section, When } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** Unpaid orders close to their automatic cancellation, the most urgent first. */
export function DueSoon({ due: { total, items } }: { due: NonNullable<Overview['paymentsDueSoon']> }) {
  const t = useText(dashboardMessages);
  return (
    <Section title={t('dueSoon')} hint={t('dueSoonHint')}>
      <ul className={styles.list}>
        {items.map(({ id, orderNo, userId, amount, paymentDue }) => (
          <li key={id} className={styles.row}>
            <span className={styles.what}>
              <Link to="/orders/$id" params={{ id: String(id) }}>
                <span className="mono">{orderNo}</span>
              </Link>{' '}
              <CustomerLink userId={userId} />
            </span>
            <Money minor={amount} />
            <span className={styles.end}>
              <When time={paymentDue} />
            </span>
          </li>
        ))}
      </ul>
      {total > items.length && <p className={styles.note}>{t('andMore', { n: total - items.length })}</p>}
    </Section>
  );
}
