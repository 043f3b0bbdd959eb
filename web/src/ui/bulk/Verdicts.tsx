import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { useRefusalText } from '../feedback/said';
import { csv, download } from '../table/csv';
import { StatusChip } from '../StatusChip';
import type { BulkAction } from './action';
import styles from './Bulk.module.css';
import { bulkMessages } from './messages';
import { isLeft, type Item, type Result, type Said, type Verdict } from './run';

/** How many verdicts are drawn; the file has all. */
const most = 200;

const tones = {
  done: 'ok',
  proposed: 'info',
  refused: 'bad',
  gone: 'neutral',
  changed: 'warn',
  stopped: 'neutral',
  unknown: 'warn',
  notSent: 'neutral',
} as const satisfies Record<Verdict, string>;

interface Props<Row, Input extends object> {
  results: readonly (Result & { item: Item })[];
  /** What the service said of the rows in this run. */
  details: ReadonlyMap<string, Result<Row>>;
  action: BulkAction<Row, Input>;
  rows: ReadonlyMap<string, Row>;
}

/** What became of each row, those first that are left. */
export function Verdicts<Row, Input extends object>({ results, details, action, rows }: Props<Row, Input>) {
  const t = useText(bulkMessages);
  const refusal = useRefusalText();
  const inTheWay = (result: Result) => isLeft(result) && result.verdict !== 'stopped';
  const ordered = [
    ...results.filter(inTheWay),
    ...results.filter((result) => isLeft(result) && !inTheWay(result)),
    ...results.filter((result) => !isLeft(result)),
  ];
  const words = (result: Result): ReactNode => {
    if (result.verdict === 'stopped') return t('stoppedHint');
    return (
      action.describe?.(details.get(result.id) ?? (result as Result<Row>), rows.get(result.id)) ??
      (result.said === undefined ? undefined : refusal(result.said))
    );
  };
  return (
    <ul className={styles.rows} tabIndex={0} aria-label={t('verdicts')}>
      {ordered.slice(0, most).map((result) => (
        <li key={result.id} data-verdict={result.verdict}>
          <span className={`${styles.key ?? ''} mono`}>{result.item.label}</span>
          <StatusChip tone={tones[result.verdict]}>{t(`word_${result.verdict}`)}</StatusChip>
          <span className={styles.why}>{words(result)}</span>
        </li>
      ))}
      {ordered.length > most && <li>{t('more', { n: ordered.length - most })}</li>}
    </ul>
  );
}

/** Hands out the verdicts as a file: for programs as the run names them, with what the service said. */
export function useSaveVerdicts(
  name: string,
): (results: readonly (Result & { item: Item })[], skipped: readonly { item: Item; reason: string | undefined }[]) => void {
  const t = useText(bulkMessages);
  const refusal = useRefusalText();
  const why = (said: Said | undefined) => (said === undefined ? '' : refusal(said));
  return (results, skipped) =>
    download(
      name,
      csv([
        [t('row'), t('verdict'), t('detail')],
        ...results.map(({ item, verdict, said }) => [item.label, t(`word_${verdict}`), why(said)]),
        ...skipped.map(({ item, reason }) => [item.label, t('word_skipped'), reason ?? t('noLine')]),
      ]),
    );
}
