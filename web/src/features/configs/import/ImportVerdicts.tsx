import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useText } from '@/i18n';
import { Difference, StatusChip, useRuleText } from '@/ui';
import type { Imported } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { reasonOf, type ImportRow } from './document';
import styles from './Import.module.css';
import { importMessages } from './messages';

type Verdict = ImportRow['verdict'];

/** Verdicts that need attention come first. */
const verdicts = ['invalid', 'conflict', 'create', 'update', 'skip', 'unchanged'] as const satisfies readonly Verdict[];
const tones = { invalid: 'bad', conflict: 'warn', create: 'ok', update: 'info', skip: 'neutral', unchanged: 'neutral' } as const;
/** The maximum number of displayed rows. The downloaded file contains all verdicts. */
const maxShown = 200;

interface Props {
  rows: readonly ImportRow[];
  counts: Imported['counts'];
  /** Whether the import was carried out, or is a preview. */
  done: boolean;
}

/** A verdict for each entry of a file, with the values before and after of each change. */
export function ImportVerdicts({ rows, counts, done }: Props) {
  const t = useText(importMessages);
  const ruleText = useRuleText();
  const places = useConfigLabels();
  const [only, setOnly] = useState<Verdict>();
  const shown = verdicts.flatMap((verdict) => (only === undefined || only === verdict ? rows.filter((row) => row.verdict === verdict) : []));
  const labels = (verdict: Verdict) => t(done && (verdict === 'create' || verdict === 'update') ? `done_${verdict}` : `verdict_${verdict}`);
  return (
    <>
      <Group gap="xs" role="group" aria-label={t('filter')}>
        {[undefined, ...verdicts.filter((verdict) => counts[verdict] > 0)].map((verdict) => (
          <Button
            key={verdict ?? 'all'}
            size="xs"
            radius="xl"
            aria-pressed={only === verdict}
            variant={only === verdict ? 'filled' : 'default'}
            onClick={() => setOnly(verdict)}
          >
            {verdict === undefined ? `${t('all')} ${rows.length}` : `${labels(verdict)} ${counts[verdict]}`}
          </Button>
        ))}
      </Group>
      <ul className={styles.rows} tabIndex={0} aria-label={t('verdicts')}>
        {shown.slice(0, maxShown).map((row) => (
          <li key={row.index} data-verdict={row.verdict}>
            <StatusChip tone={tones[row.verdict]}>{labels(row.verdict)}</StatusChip>
            <span className={styles.what}>
              <span className="mono">{row.key}</span>
              {row.changes.length > 0 && <Difference changes={row.changes} labels={places} />}
              {reasonOf(row, ruleText) !== '' && <span className={styles.quiet}>{reasonOf(row, ruleText)}</span>}
            </span>
          </li>
        ))}
        {shown.length > maxShown && <li>{t('more', { n: shown.length - maxShown })}</li>}
      </ul>
    </>
  );
}
