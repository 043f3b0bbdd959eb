import { useText } from '@/i18n';
import { Banner, useRuleText } from '@/ui';
import type { Conversion } from '../queries';
import styles from './Import.module.css';
import { importMessages } from './messages';

/** The maximum number of displayed notes of each kind. */
const maxNotes = 100;

/** The entries of a file that are not imported, and the parts of the others that are dropped. */
export function DocumentNotes({ rejected, rejectedCount, notes, noteCount }: Pick<Conversion, 'rejected' | 'rejectedCount' | 'notes' | 'noteCount'>) {
  const t = useText(importMessages);
  const ruleText = useRuleText();
  const lists = [
    { tone: 'warn', title: t('rejectedEntries', { n: rejectedCount }), list: rejected, count: rejectedCount },
    { tone: 'info', title: t('notes', { n: noteCount }), list: notes, count: noteCount },
  ] as const;
  return lists.map(
    ({ tone, title, list, count }) =>
      list.length > 0 && (
        <Banner key={tone} tone={tone} title={title}>
          <ul className={styles.notes} tabIndex={0} aria-label={title}>
            {list.slice(0, maxNotes).map(({ at, key, code, message }) => (
              <li key={`${at} ${key} ${message}`}>
                {key !== '' && <span className="mono">{key} </span>}
                {ruleText({ code, message })} <span className={styles.quiet}>({at})</span>
              </li>
            ))}
            {count > maxNotes && <li>{t('moreNotes', { n: count - maxNotes })}</li>}
          </ul>
        </Banner>
      ),
  );
}
