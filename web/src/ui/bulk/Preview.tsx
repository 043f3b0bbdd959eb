import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import type { BulkAction, Since } from './action';
import styles from './Bulk.module.css';
import { bulkMessages } from './messages';
import type { Bulk, Skipped } from './useBulk';

interface Props<Row, Input extends object> {
  action: BulkAction<Row, Input>;
  bulk: Bulk<Row, Input>;
  rowId: (row: Row) => string;
}

/** The maximum number of rows in the preview, and of labels per reason for skipping. */
const drawn = 100;
const named = 3;

/** The effect on each row, and the skipped rows with their reasons. */
export function Preview<Row, Input extends object>({ action, bulk: { plan, since, input, own, isTable, missing }, rowId }: Props<Row, Input>) {
  const t = useText(bulkMessages);
  const { eligible, skipped } = plan;
  const reasonOf = useReason(action);
  const reasons = [...new Set(skipped.map(({ reason }) => reasonOf(reason)))];
  const { preview } = action;
  return (
    <section aria-label={t('preview')}>
      <Text fw={600} role="status">
        {missing > 0
          ? t('lookingUp', { n: missing })
          : eligible.length > 0
            ? t(action.isAtomic === true ? 'willChange' : 'eligible', { n: eligible.length })
            : !own.isReading && t(isTable && skipped.length === 0 ? 'nothingYet' : 'nothingEligible')}
      </Text>
      {eligible.length > 0 && (preview !== undefined || since.size > 0 || own.hasRowValues) && (
        <ul className={styles.rows} tabIndex={0} aria-label={t('preview')}>
          {eligible.slice(0, drawn).map(({ row, item, own: values }) => (
            <li key={item.id}>
              <span className={`${styles.key ?? ''} mono`}>{item.label}</span>
              {values !== undefined && item.values === JSON.stringify(values) && <span>{Object.values(values).join(' · ')}</span>}
              {preview?.(row, input, values)}
              <Noted since={since.get(rowId(row))} />
            </li>
          ))}
          {eligible.length > drawn && <li>{t('more', { n: eligible.length - drawn })}</li>}
        </ul>
      )}
      {skipped.length > 0 && (
        <div>
          <Text>{t('skipped', { n: skipped.length })}</Text>
          <ul className={styles.reasons}>
            {reasons.map((reason) => {
              const labels = skipped.filter((one) => reasonOf(one.reason) === reason).map(({ item }) => item.label);
              return (
                <li key={reason}>
                  <span className="mono">{labels.slice(0, named).join(', ')}</span>
                  {labels.length > named && ` ${t('more', { n: labels.length - named })}`} · {reason}
                </li>
              );
            })}
          </ul>
        </div>
      )}
    </section>
  );
}

/** Returns the reason why a row is skipped. */
export function useReason<Row, Input extends object>({
  labels,
  maxRows: most = 0,
}: Pick<BulkAction<Row, Input>, 'labels' | 'maxRows'>): (reason: Skipped['reason']) => string {
  const t = useText(bulkMessages);
  return (reason) => {
    if (typeof reason === 'string') return reason;
    return reason.left === 'beyond' ? (labels.beyond ?? t('beyond', { most })) : t(reason.left);
  };
}

function Noted({ since }: { since: Since | undefined }) {
  const t = useText(bulkMessages);
  if (since === undefined) return null;
  return <span className={styles.noted}>{t(since.deleted ? 'deletedSince' : 'changedSince', { who: since.who.name })}</span>;
}
