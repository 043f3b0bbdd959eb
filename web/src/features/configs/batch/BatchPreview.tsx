import { Text } from '@mantine/core';
import type { PersonName } from '@/api';
import { useText } from '@/i18n';
import type { Json } from '@/merge';
import { ValuePreview } from '../list/ValuePreview';
import type { Config } from '../queries';
import styles from './Batch.module.css';
import { batchMessages } from './messages';
import type { BatchEdit, Plan, SkipReason } from './plan';

/** A change that others made after the config was chosen. */
export interface Since {
  etag: string;
  who: PersonName;
  deleted: boolean;
}

interface Props extends Plan {
  edit: BatchEdit;
  since: ReadonlyMap<string, Since>;
}

/** How many rows of a preview are drawn. */
const most = 100;
const reasons: SkipReason[] = ['otherType', 'sameValue', 'sameRemark', 'notPatchable', 'overLimit'];

/** What becomes of each config, old and new, and which are left as they are and why. */
export function BatchPreview({ edit, eligible, skipped, since }: Props) {
  const t = useText(batchMessages);
  return (
    <section className={styles.preview} aria-label={t('preview')}>
      <Text fw={600} role="status">
        {eligible.length === 0 ? t('nothingEligible') : t('eligible', { n: eligible.length })}
      </Text>
      {eligible.length > 0 && (
        <ul className={styles.rows} tabIndex={0} aria-label={t('preview')}>
          {eligible.slice(0, most).map((config) => (
            <li key={config.key}>
              <span className={`${styles.key ?? ''} mono`}>{config.key}</span>
              <Step config={config} edit={edit} />
              <Noted since={since.get(config.key)} />
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
              const keys = skipped.filter((row) => row.reason === reason).map(({ config }) => config.key);
              return keys.length === 0 ? null : (
                <li key={reason}>
                  <span className="mono">{keys.slice(0, 3).join(', ')}</span>
                  {keys.length > 3 && ` ${t('more', { n: keys.length - 3 })}`} · {t(`skip_${reason}`)}
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
  const t = useText(batchMessages);
  if (since === undefined) return null;
  return <span className={styles.noted}>{t(since.deleted ? 'deletedSince' : 'changedSince', { who: since.who.name })}</span>;
}

function Step({ config, edit }: { config: Config; edit: BatchEdit }) {
  const t = useText(batchMessages);
  if (edit.kind === 'delete') return <span className={styles.gone}>{t('deleted')}</span>;
  const [before, after]: (Json | undefined)[] = edit.kind === 'remark' ? [config.remark, edit.remark] : [config.value as Json, edit.value];
  return (
    <span className={styles.step}>
      <Shown value={before} remark={edit.kind === 'remark'} />
      <span aria-hidden="true">→</span>
      <strong>{after === undefined ? '…' : <Shown value={after} remark={edit.kind === 'remark'} />}</strong>
    </span>
  );
}

function Shown({ value, remark }: { value: unknown; remark: boolean }) {
  const t = useText(batchMessages);
  if (!remark) return <ValuePreview value={value} />;
  return <span>{value === '' ? t('emptyRemark') : String(value)}</span>;
}
