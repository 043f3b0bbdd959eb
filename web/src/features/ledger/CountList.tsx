import { useText } from '@/i18n';
import { useCounts, type Count } from './count';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import type { Counts } from './queries';

interface Props {
  counts: Counts;
  /** Whether the counts are deltas of an event, displayed with a sign. */
  added?: boolean;
  /** The maximum number of displayed counters; for the rest only the number is displayed. */
  maxShown?: number;
}

/** Counters and their values on one line, by name. */
export function CountList({ counts, added = false, maxShown = 3 }: Props) {
  const t = useText(ledgerMessages);
  const { number, signed } = useCounts();
  const all = byName(counts);
  const shown = all.slice(0, maxShown);
  return (
    <span className={styles.counts}>
      {shown.map(([name, count]) => (
        <span key={name} className={styles.count}>
          <span className={styles.name}>{name}</span> <span className="tabular">{added ? signed(count) : number(count)}</span>
        </span>
      ))}
      {all.length > shown.length && <span className={styles.dimmed}>{t('more', { n: all.length - shown.length })}</span>}
    </span>
  );
}

/** In natural order: in2 before in10. */
export function byName(counts: Counts): [string, Count][] {
  return Object.entries(counts).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}
