import { useLanguage, useText } from '@/i18n';
import type { Tone } from '@/theme';
import { RecordLink, StatusChip, When } from '@/ui';
import { promiseMessages, saysInChinese } from './messages';
import styles from './Promises.module.css';
import type { Promised } from './queries';

const tones: Readonly<Record<Promised['state'], Tone>> = { kept: 'ok', violated: 'bad', unknown: 'neutral' };

/** A promise: its text, its state, the last check, its violations and their rows. */
export function PromiseRow({ promised }: { promised: Promised }) {
  const t = useText(promiseMessages);
  const { language } = useLanguage();
  const { name, says, state, lastTrueTime, lookedTime, rows, looking, violated, violations } = promised;
  return (
    <li className={styles.promise}>
      <p className={styles.says}>{language === 'zh' ? saysInChinese[name] : says}</p>
      <div>
        <StatusChip tone={tones[state]}>{t(state)}</StatusChip>
      </div>
      {violated > 0 && (
        <p className={styles.broken}>
          {t('violatedBy')}{' '}
          {violations.map(({ subject, foundTime }, i) => (
            <span key={subject} title={foundTime}>
              {i > 0 && ', '}
              <RecordLink path={subject} />
            </span>
          ))}{' '}
          {violated > violations.length && t('more', { n: violated - violations.length })}
        </p>
      )}
      {(lookedTime !== null || looking !== null) && (
        <p className={styles.facts}>
          {lookedTime !== null && (
            <span className="tabular">
              {t('rows', { n: rows })} {t('checkedRows')} <When time={lookedTime} />
            </span>
          )}
          {state === 'violated' && (
            <span>
              {t('lastTrue')} {lastTrueTime === null ? t('never') : <When time={lastTrueTime} />}
            </span>
          )}
          {looking !== null && <span className="tabular">{t('checkInProgress', { n: looking.rows })}</span>}
        </p>
      )}
      <Proof promised={promised} />
    </li>
  );
}

function Proof({ promised: { name, tests, faults } }: { promised: Promised }) {
  const t = useText(promiseMessages);
  return (
    <details className={styles.proof}>
      <summary>
        {t('proof')} <span className="mono">{name}</span>
      </summary>
      <dl>
        <dt>{t('tests')}</dt>
        {tests.map((test) => (
          <dd key={test} className="mono">
            {test}
          </dd>
        ))}
        <dt>{t('faults')}</dt>
        {faults.map((fault) => (
          <dd key={fault} className="mono">
            {fault}
          </dd>
        ))}
        {faults.length === 0 && <dd>{t('noFaults')}</dd>}
      </dl>
    </details>
  );
}
