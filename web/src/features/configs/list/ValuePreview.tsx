import { useText } from '@/i18n';
import { configMessages } from '../messages';
import { preview } from './preview';
import styles from './ValuePreview.module.css';

/** A value in one line of monospace; what does not fit is in its title. */
export function ValuePreview({ value }: { value: unknown }) {
  const t = useText(configMessages);
  const text = preview(value);
  if (text === '') return <span className={styles.none}>{t('emptyValue')}</span>;
  return (
    <code className={styles.value} title={text}>
      {text}
    </code>
  );
}
