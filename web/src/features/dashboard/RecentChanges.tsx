import { Link } from '@tanstack/react-router';
import type { Overview } from '@/api';
import { useActionText } from '@/features/audit/useActionText';
import { useRecordName } from '@/features/useRecordName';
import { useText } from '@/i18n';
import { Person, RecordLink, Section, When } from '@/ui';
import styles from './Dashboard.module.css';
import { foldChanges } from './fold';
import { dashboardMessages } from './messages';

/** The latest changes: user, action, and a link to the record. */
export function RecentChanges({ changes }: { changes: NonNullable<Overview['recentChanges']> }) {
  const t = useText(dashboardMessages);
  const { verb } = useActionText();
  const nameOf = useRecordName();
  return (
    <Section title={t('recent')} action={<Link to="/audit-log">{t('allChanges')}</Link>}>
      {changes.length === 0 && <p className={styles.note}>{t('noChanges')}</p>}
      <ul className={styles.list}>
        {foldChanges(changes).map(({ change, others }) => (
          <li key={change.id} className={styles.row}>
            <Person person={change.actor} withAvatar />
            <span className={styles.what}>
              {verb(change.action)} <RecordLink path={change.resource}>{nameOf(change.resource)}</RecordLink>{' '}
              {change.more > 0 && others === 0 && <span className={styles.hint}>{t('more', { n: change.more })}</span>}
              {others > 0 && (
                <Link to="/audit-log" search={{ action: change.action, actor: String(change.actor.id) }}>
                  {t('otherRecords', { n: others })}
                </Link>
              )}
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
