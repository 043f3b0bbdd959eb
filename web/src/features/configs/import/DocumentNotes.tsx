import { useText } from '@/i18n';
import { Banner } from '@/ui';
import type { Conversion } from '../queries';
import styles from './Import.module.css';
import { importMessages } from './messages';

/** The maximum number of displayed notes of each kind. */
const maxNotes = 100;

/** The entries of a file that are not imported, and the parts of the others that are dropped. */
export function DocumentNotes({ rejected, notes }: Pick<Conversion, 'rejected' | 'notes'>) {
  const t = useText(importMessages);
  const lists = [
    { tone: 'warn', title: t('rejectedEntries', { n: rejected.length }), list: rejected },
    { tone: 'info', title: t('notes', { n: notes.length }), list: notes },
  ] as const;
  return lists.map(
    ({ tone, title, list }) =>
      list.length > 0 && (
        <Banner key={tone} tone={tone} title={title}>
          <ul className={styles.notes} tabIndex={0} aria-label={title}>
            {list.slice(0, maxNotes).map(({ at, key, message }) => (
              <li key={`${at} ${key} ${message}`}>
                {key !== '' && <span className="mono">{key} </span>}
                {message} <span className={styles.quiet}>({at})</span>
              </li>
            ))}
            {list.length > maxNotes && <li>{t('moreNotes', { n: list.length - maxNotes })}</li>}
          </ul>
        </Banner>
      ),
  );
}
