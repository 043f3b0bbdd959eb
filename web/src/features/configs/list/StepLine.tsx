import { useText } from '@/i18n';
import { configMessages } from '../messages';
import type { Step } from '../steps';
import styles from './StepLine.module.css';
import { ValuePreview } from './ValuePreview';

/** A member of a config, old and new. */
export function StepLine({ step: { member, before, after } }: { step: Step }) {
  const t = useText(configMessages);
  return (
    <span className={styles.step}>
      <span className={styles.member}>{t(`member_${member}`)}</span>
      {before === undefined ? t('none') : <ValuePreview value={before} />}
      <span aria-hidden="true">→</span>
      <strong className={styles.after}>{after === undefined ? t('none') : <ValuePreview value={after} />}</strong>
    </span>
  );
}
