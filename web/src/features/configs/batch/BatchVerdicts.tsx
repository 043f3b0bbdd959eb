import { useText } from '@/i18n';
import { exact, type JsonObject } from '@/merge';
import { When } from '@/ui';
import { StepLine } from '../list/StepLine';
import { stepsBetween } from '../steps';
import styles from './Batch.module.css';
import { batchMessages } from './messages';
import type { RowVerdict } from './plan';

/** How many verdicts are drawn; the file has all. */
const most = 200;

/** What became of each config of a batch, those first that stood in its way. */
export function BatchVerdicts({ verdicts }: { verdicts: readonly RowVerdict[] }) {
  const t = useText(batchMessages);
  const inTheWay = verdicts.filter(({ verdict }) => verdict !== 'stopped');
  const ordered = [...inTheWay, ...verdicts.filter(({ verdict }) => verdict === 'stopped')];
  return (
    <ul className={styles.rows} tabIndex={0} aria-label={t('verdicts')}>
      {ordered.slice(0, most).map((row) => (
        <li key={row.config.key} data-verdict={row.verdict}>
          <span className={`${styles.key ?? ''} mono`}>{row.config.key}</span>
          <Verdict row={row} />
        </li>
      ))}
      {ordered.length > most && <li>{t('more', { n: ordered.length - most })}</li>}
    </ul>
  );
}

function Verdict({ row: { verdict, config, current, detail } }: { row: RowVerdict }) {
  const t = useText(batchMessages);
  if (verdict === 'changed' && current !== undefined)
    return (
      <>
        <span className={styles.noted}>{t.rich('verdict_changed', { who: current.updatedBy.name, when: <When time={current.updatedTime} /> })}</span>
        {stepsBetween(exact(config) as JsonObject, exact(current) as JsonObject).map((step) => (
          <StepLine key={step.member} step={step} />
        ))}
      </>
    );
  if (verdict === 'refused') return <span className={styles.gone}>{t('verdict_refused', { detail })}</span>;
  if (verdict === 'done') return <span>{t('verdict_done')}</span>;
  return <span className={verdict === 'stopped' ? styles.quiet : styles.noted}>{t(verdict === 'stopped' ? 'verdict_stopped' : 'verdict_gone')}</span>;
}
