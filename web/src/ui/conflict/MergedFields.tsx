import { useText } from '@/i18n';
import { encode, has, type Change, type Json, type Resolution } from '@/merge';
import { BeforeAfter } from '../edit/Difference';
import { isKeyPath, type Labels } from '../edit/labels';
import { StatusChip } from '../StatusChip';
import styles from './Conflict.module.css';
import { conflictMessages } from './messages';

interface MergedProps {
  change: Change;
  labels: Labels;
  /** The author of the change, and the reason why the user need not choose a side. */
  explanation: string;
}

/** A value that only one side changed. */
export function MergedField({ change, labels, explanation }: MergedProps) {
  return (
    <div className={styles.place}>
      <Head label={labels.field(change.pointer)} explanation={explanation} />
      <BeforeAfter {...change} labels={labels} />
    </div>
  );
}

/** A list in which both sides added or removed items: the merged list, with the author of each change. */
export function MergedList({ set, labels, who }: { set: Resolution['sets'][number]; labels: Labels; who: string }) {
  const t = useText(conflictMessages);
  const { pointer, merged } = set;
  const [base, yours, theirs] = [set.base, set.yours, set.theirs].map((side) => (Array.isArray(side) ? side : []));
  const you = t('you');
  const authors = (item: Json, inList: boolean) =>
    [has(theirs ?? [], item) === inList && who, has(yours ?? [], item) === inList && you].filter((name) => name !== false).join(', ');
  const removed = (base ?? []).filter((item) => !has(merged, item));
  return (
    <div className={styles.place}>
      <Head label={labels.field(pointer)} explanation={t('asSet')} />
      <ul className={styles.items}>
        {merged.map((item) => {
          const text = spell(item);
          const isNew = !has(base ?? [], item);
          return (
            <li key={encode(item)} className={styles.item} data-by={!isNew ? undefined : has(theirs ?? [], item) ? 'theirs' : 'yours'}>
              {isNew ? t('by', { item: text, who: authors(item, true) }) : text}
            </li>
          );
        })}
        {removed.map((item) => (
          <li key={encode(item)} className={styles.item} data-by="gone">
            {t('removedItem', { item: spell(item), who: authors(item, false) })}
          </li>
        ))}
        {merged.length === 0 && <li>{t('emptyList')}</li>}
      </ul>
    </div>
  );
}

function Head({ label, explanation }: { label: string; explanation: string }) {
  return (
    <div className={styles.head}>
      <span className={isKeyPath(label) ? 'mono' : undefined}>{label}</span>
      <StatusChip tone="ok">{explanation}</StatusChip>
    </div>
  );
}

const spell = (item: Json) => (typeof item === 'string' ? item : encode(item));
