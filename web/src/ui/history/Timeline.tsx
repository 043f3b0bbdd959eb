import type { ReactNode } from 'react';
import type { PersonName } from '@/api';
import { Avatar, Person } from '../Person';
import { When } from '../When';
import styles from './Timeline.module.css';

export interface TimelineEntry {
  id: string | number;
  by: PersonName;
  time: string;
  /** What was done, in a word or two. */
  action: ReactNode;
  /** What it changed. */
  details?: ReactNode;
}

/** Who did what to a record, newest first. */
export function Timeline({ label, entries }: { label: string; entries: readonly TimelineEntry[] }) {
  return (
    <ol className={styles.list} aria-label={label}>
      {entries.map(({ id, by, time, action, details }) => (
        <li key={id} className={styles.entry}>
          <Avatar person={by} size={26} />
          <div className={styles.words}>
            <div className={styles.head}>
              <strong>
                <Person person={by} />
              </strong>
              <span>{action}</span>
              <span className={styles.when}>
                <When time={time} />
              </span>
            </div>
            {details !== undefined && <div className={styles.details}>{details}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
