import { useText } from '@/i18n';
import type { Change } from '@/merge';
import styles from './Difference.module.css';
import { editMessages } from './messages';
import { isKeyPath, type Words } from './words';

/** How much of a value is shown in a line. */
const longest = 160;

interface Props {
  changes: readonly Change[];
  words: Words;
  /** How many places are shown. */
  most?: number;
}

/** What changed, place by place: what was there and what is. */
export function Difference({ changes, words, most = 12 }: Props) {
  return (
    <ul className={styles.list}>
      {changes.slice(0, most).map((change) => {
        const where = words.place(change.pointer);
        return (
          <li key={change.pointer}>
            <span className={isKeyPath(where) ? 'mono' : styles.word}>{where}</span> <BeforeAfter {...change} words={words} />
          </li>
        );
      })}
      {changes.length > most && <li aria-hidden="true">…</li>}
    </ul>
  );
}

/** A value struck through, and the one that took its place. */
export function BeforeAfter({ before, after, pointer, words }: Change & { words: Words }) {
  const t = useText(editMessages);
  const show = (value: Change['before']) => brief(words.show(value, pointer)) || t('nothingHere');
  return (
    <span className={styles.values}>
      <del>{show(before)}</del> <span aria-hidden="true">→</span> <ins>{show(after)}</ins>
    </span>
  );
}

/** A value in one line, cut where it is long. */
export function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
