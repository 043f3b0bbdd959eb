import { useText } from '@/i18n';
import type { Change } from '@/merge';
import styles from './Difference.module.css';
import { editMessages } from './messages';
import { isKeyPath, type Labels } from './labels';

/** The longest value that is displayed in a line, in characters. */
const maxLength = 160;

interface Props {
  changes: readonly Change[];
  labels: Labels;
  /** The maximum number of displayed changes. */
  max?: number;
}

/** The changed fields, each with its value before and after. */
export function Difference({ changes, labels, max: max = 12 }: Props) {
  return (
    <ul className={styles.list}>
      {changes.slice(0, max).map((change) => {
        const where = labels.field(change.pointer);
        return (
          <li key={change.pointer}>
            <span className={isKeyPath(where) ? 'mono' : styles.word}>{where}</span> <BeforeAfter {...change} labels={labels} />
          </li>
        );
      })}
      {changes.length > max && <li aria-hidden="true">…</li>}
    </ul>
  );
}

/** The value before, struck through, and the value after. */
export function BeforeAfter({ before, after, pointer, labels }: Change & { labels: Labels }) {
  const t = useText(editMessages);
  const show = (value: Change['before']) => brief(labels.show(value, pointer)) || t('nothingHere');
  return (
    <span className={styles.values}>
      <del>{show(before)}</del> <span aria-hidden="true">→</span> <ins>{show(after)}</ins>
    </span>
  );
}

/** A value in one line; a long one is truncated. */
export function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
