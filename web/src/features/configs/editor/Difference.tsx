import type { Change, Value } from '@/merge';
import styles from './Difference.module.css';
import { isKeyPath, useWords } from './words';

/** How much of a value is shown in a line. */
const longest = 160;

/** What changed, place by place: what was there and what is. */
export function Difference({ changes, most = 12 }: { changes: readonly Change[]; most?: number }) {
  const { place } = useWords();
  return (
    <ul className={styles.list}>
      {changes.slice(0, most).map((change) => {
        const where = place(change.pointer);
        return (
          <li key={change.pointer}>
            <span className={isKeyPath(where) ? 'mono' : styles.word}>{where}</span> <BeforeAfter {...change} />
          </li>
        );
      })}
      {changes.length > most && <li aria-hidden="true">…</li>}
    </ul>
  );
}

/** A value struck through, and the one that took its place. */
export function BeforeAfter({ before, after }: { before: Value; after: Value }) {
  const { show } = useWords();
  return (
    <span className={styles.values}>
      <del>{brief(show(before))}</del> <span aria-hidden="true">→</span> <ins>{brief(show(after))}</ins>
    </span>
  );
}

/** A value in one line, cut where it is long. */
export function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
