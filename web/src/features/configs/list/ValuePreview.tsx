import { useText } from '@/i18n';
import { configMessages } from '../messages';
import type { Config } from '../queries';
import { preview } from './preview';
import styles from './ValuePreview.module.css';

/** A value in one line of monospace text; the title has the complete value. */
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

/** Whether the list hides the value of a config, even from readers of secrets. Its page can show it. */
export const isHidden = ({ secret, masked }: Pick<Config, 'secret' | 'masked'>): boolean => secret || masked === true;

/** The value of a config in one line, or a note that it is secret. */
export function ConfigValue({ config }: { config: Config }) {
  const t = useText(configMessages);
  if (!isHidden(config)) return <ValuePreview value={config.value} />;
  return (
    <span className={styles.none} title={t('hiddenValue')}>
      {t('hidden')}
    </span>
  );
}
