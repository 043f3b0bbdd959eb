import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import type { BulkAction, Since } from './action';
import styles from './Bulk.module.css';
import { bulkMessages } from './messages';
import type { Bulk } from './useBulk';

interface Props<Row, Input extends object> {
  action: BulkAction<Row, Input>;
  bulk: Bulk<Row, Input>;
  rowId: (row: Row) => string;
}

/** How many rows of a preview are drawn, and named for a reason. */
const most = 100;
const named = 3;

/** What becomes of each row, and which are left as they are and why. */
export function Preview<Row, Input extends object>({ action, bulk: { plan, since, input, own }, rowId }: Props<Row, Input>) {
  const t = useText(bulkMessages);
  const { eligible, skipped } = plan;
  const reasonOf = (reason: string | undefined) => (reason === undefined ? t('noLine') : reason === '' ? t('overLimit', { most: action.most ?? 0 }) : reason);
  const reasons = [...new Set(skipped.map(({ reason }) => reasonOf(reason)))];
  const { preview } = action;
  return (
    <section aria-label={t('preview')}>
      <Text fw={600} role="status">
        {eligible.length === 0 ? t('nothingEligible') : t(action.isAtomic === true ? 'willChange' : 'eligible', { n: eligible.length })}
      </Text>
      {eligible.length > 0 && (preview !== undefined || since.size > 0 || own.hasOwn) && (
        <ul className={styles.rows} tabIndex={0} aria-label={t('preview')}>
          {eligible.slice(0, most).map(({ row, item }) => (
            <li key={item.id}>
              <span className={`${styles.key ?? ''} mono`}>{item.label}</span>
              {own.hasOwn && item.own !== undefined && <span>{Object.values(JSON.parse(item.own) as Record<string, string>).join(' · ')}</span>}
              {preview?.(row, input)}
              <Noted since={since.get(rowId(row))} />
            </li>
          ))}
          {eligible.length > most && <li>{t('more', { n: eligible.length - most })}</li>}
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

function Noted({ since }: { since: Since | undefined }) {
  const t = useText(bulkMessages);
  if (since === undefined) return null;
  return <span className={styles.noted}>{t(since.deleted ? 'deletedSince' : 'changedSince', { who: since.who.name })}</span>;
}
