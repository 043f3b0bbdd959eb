import type { Overview } from '@/api';
import { useRecordName } from '@/features/useRecordName';
import { useText } from '@/i18n';
import { Person, RecordLink, Section, When } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';

/** The users that have a record open now. */
export function WorkingNow({ places }: { places: NonNullable<Overview['workingNow']> }) {
  const t = useText(dashboardMessages);
  const nameOf = useRecordName();
  const people = places.flatMap(({ resource, people: here }) => here.map((person) => ({ resource, ...person })));
  return (
    <Section title={t('workingNow')}>
      {people.length === 0 && <p className={styles.note}>{t('noUsers')}</p>}
      <ul className={styles.list}>
        {people.map(({ id, name, resource, since }) => (
          <li key={`${id} ${resource}`} className={styles.row}>
            <Person person={{ id, name }} withAvatar />
            <span className={styles.what}>
              <RecordLink path={resource}>{nameOf(resource)}</RecordLink>
            </span>
            <span className={styles.end}>
              <When time={since} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
