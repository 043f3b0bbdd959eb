import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { useRejectionText } from '../feedback/problemText';
import { csv, download } from '../table/csv';
import { StatusChip } from '../StatusChip';
import type { BulkAction } from './action';
import styles from './Bulk.module.css';
import { bulkMessages } from './messages';
import { useReason } from './Preview';
import { isLeft, type Item, type Result, type Verdict } from './run';
import type { Skipped } from './useBulk';

/** The number of displayed verdicts; the file contains all. */
const maxShown = 200;

const tones = {
  done: 'ok',
  proposed: 'info',
  rejected: 'bad',
  gone: 'neutral',
  changed: 'warn',
  stopped: 'neutral',
  unknown: 'warn',
  notSent: 'neutral',
} as const satisfies Record<Verdict, string>;

interface Props<Row, Input extends object> {
  results: readonly (Result & { item: Item })[];
  /** The service's results of this run. */
  details: ReadonlyMap<string, Result<Row>>;
  action: BulkAction<Row, Input>;
  rows: ReadonlyMap<string, Row>;
}

/** The verdict of each row, unfinished rows first. */
export function Verdicts<Row, Input extends object>({ results, details, action, rows }: Props<Row, Input>) {
  const t = useText(bulkMessages);
  const rejection = useRejectionText();
  const inTheWay = (result: Result) => isLeft(result) && result.verdict !== 'stopped';
  const ordered = [
    ...results.filter(inTheWay),
    ...results.filter((result) => isLeft(result) && !inTheWay(result)),
    ...results.filter((result) => !isLeft(result)),
  ];
  const labels = (result: Result): ReactNode => {
    if (result.verdict === 'stopped') return t('stoppedHint');
    return (
      action.describe?.(details.get(result.id) ?? (result as Result<Row>), rows.get(result.id)) ??
      (result.said === undefined ? result.made : rejection(result.said))
    );
  };
  return (
    <ul className={styles.rows} tabIndex={0} aria-label={t('verdicts')}>
      {ordered.slice(0, maxShown).map((result) => (
        <li key={result.id} data-verdict={result.verdict}>
          <span className={`${styles.key ?? ''} mono`}>{result.item.label}</span>
          <StatusChip tone={tones[result.verdict]}>{t(`word_${result.verdict}`)}</StatusChip>
          <span className={styles.why}>{labels(result)}</span>
        </li>
      ))}
      {ordered.length > maxShown && <li>{t('more', { n: ordered.length - maxShown })}</li>}
    </ul>
  );
}

/** Returns a function that downloads the verdicts as CSV, with the service's message or the created id. */
export function useSaveVerdicts<Row, Input extends object>(
  name: string,
  action: BulkAction<Row, Input>,
): (results: readonly (Result & { item: Item })[], skipped: readonly Skipped[]) => void {
  const t = useText(bulkMessages);
  const rejection = useRejectionText();
  const reasonOf = useReason(action);
  const detail = ({ said, made }: Result) => (said === undefined ? (made ?? '') : rejection(said));
  return (results, skipped) =>
    download(
      name,
      csv([
        [t('row'), t('verdict'), t('detail')],
        ...results.map((result) => [result.item.label, t(`word_${result.verdict}`), detail(result)]),
        ...skipped.map(({ item, reason }) => [item.label, t('word_skipped'), reasonOf(reason)]),
      ]),
    );
}
