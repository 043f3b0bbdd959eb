import { Link } from '@tanstack/react-router';
import type { Overview } from '@/api';
import { useActionText } from '@/features/audit/useActionText';
import { useText } from '@/i18n';
import { Person, RecordLink, Section, When } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The latest changes: user, action, and a link to the record. */
export function RecentChanges({ changes }: { changes: NonNullable<Overview['recentChanges']> }) {
  const t = useText(dashboardMessages);
  const { verb } = useActionText();
  return (
    <Section title={t('recent')} action={<Link to="/audit-log">{t('allChanges')}</Link>}>
      {changes.length === 0 && <p className={styles.note}>{t('noChanges')}</p>}
      <ul className={styles.list}>
        {changes.map((change) => (
          <li key={change.id} className={styles.row}>
            <Person person={change.actor} withAvatar />
            <span className={styles.what}>
              {verb(change.action)} <RecordLink path={change.resource} />{' '}
              {change.more > 0 && <span className={styles.hint}>{t('more', { n: change.more })}</span>}
            </span>
            <span className={styles.end}>
              <Link to="/audit-log" search={{ resource: change.resource, open: change.id }} title={t('openEntry')}>
                <When time={change.createdTime} />
              </Link>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
