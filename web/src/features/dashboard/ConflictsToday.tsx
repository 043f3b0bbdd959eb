import type { Overview } from '@/api';
import { useRecordName } from '@/features/useRecordName';
import { useFormat, useText } from '@/i18n';
import { RecordLink, Section } from '@/ui';
import { unescaped } from '@/ui/RecordLink';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The records with the most conflicts of the day, and the latest conflict of each. */
export function ConflictsToday({ conflicts, total }: { conflicts: NonNullable<Overview['conflictsToday']>; total: number }) {
  const t = useText(dashboardMessages);
  const { number } = useFormat();
  const nameOf = useRecordName();
  return (
    <Section title={t('conflicts')} action={<span className={styles.hint}>{t('conflictsTotal', { n: total })}</span>}>
      {conflicts.length === 0 ? (
        <p className={styles.note}>{t('noConflicts')}</p>
      ) : (
        <ul className={styles.list}>
          {conflicts.map(({ resource, code, count, records }) => (
            <li key={`${resource} ${code}`} className={styles.row}>
              <span className={styles.what}>
                <RecordLink path={resource}>{nameOf(resource)}</RecordLink> <span className={styles.hint}>{t(wordOf(code))}</span>
                {records.length > 0 && (
                  <span className={styles.records}>
                    {records.map((record) => (
                      <RecordLink key={record} path={record}>
                        {unescaped(record.slice(resource.length + 1))}
                      </RecordLink>
                    ))}
                  </span>
                )}
              </span>
              <span className={styles.count}>{number(count)}</span>
            </li>
          ))}
        </ul>
      )}
      <p className={styles.note} hidden={conflicts.length === 0}>
        {t('conflictsHint')}
      </p>
    </Section>
  );
}

const labels = {
  version_conflict: 'staleEdit',
  status_changed: 'tooLate',
  transition_not_allowed: 'tooLate',
  batch_conflict: 'staleBatch',
  insufficient_stock: 'outOfStock',
} as const;

function wordOf(code: string) {
  return code in labels ? labels[code as keyof typeof labels] : 'otherConflict';
}
