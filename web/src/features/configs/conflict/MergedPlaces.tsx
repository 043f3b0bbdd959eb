import { useText } from '@/i18n';
import { at, encode, type Json, type JsonObject } from '@/merge';
import { StatusChip } from '@/ui';
import { BeforeAfter } from '../editor/Difference';
import { isKeyPath, useWords } from '../editor/words';
import styles from './Conflict.module.css';
import { conflictMessages } from './messages';
import { has, type Resolution } from './resolve';

interface FittingProps {
  pointer: string;
  before: JsonObject;
  after: JsonObject;
  /** Whose change it is, and why it needs no choice. */
  says: string;
}

/** A place that only one side changed. */
export function FittingPlace({ pointer, before, after, says }: FittingProps) {
  return (
    <div className={styles.place}>
      <Head pointer={pointer} says={says} />
      <BeforeAfter before={at(before, pointer)} after={at(after, pointer)} />
    </div>
  );
}

/** A list to which both added, or from which both took: what becomes of it, and who did what. */
export function SetPlace({ set, who }: { set: Resolution['sets'][number]; who: string }) {
  const t = useText(conflictMessages);
  const { pointer, merged } = set;
  const [base, yours, theirs] = [set.base, set.yours, set.theirs].map((side) => (Array.isArray(side) ? side : []));
  const you = t('you');
  const authors = (item: Json, inList: boolean) =>
    [has(theirs ?? [], item) === inList && who, has(yours ?? [], item) === inList && you].filter((name) => name !== false).join(', ');
  const gone = (base ?? []).filter((item) => !has(merged, item));
  return (
    <div className={styles.place}>
      <Head pointer={pointer} says={t('asSet')} />
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
        {gone.map((item) => (
          <li key={encode(item)} className={styles.item} data-by="gone">
            {t('gone', { item: spell(item), who: authors(item, false) })}
          </li>
        ))}
        {merged.length === 0 && <li>{t('emptyList')}</li>}
      </ul>
    </div>
  );
}

function Head({ pointer, says }: { pointer: string; says: string }) {
  const { place } = useWords();
  const where = place(pointer);
  return (
    <div className={styles.head}>
      <span className={isKeyPath(where) ? 'mono' : undefined}>{where}</span>
      <StatusChip tone="ok">{says}</StatusChip>
    </div>
  );
}

const spell = (item: Json) => (typeof item === 'string' ? item : encode(item));
