import { useText } from '@/i18n';
import { everything } from './grants';
import styles from './GrantSummary.module.css';
import { accessMessages } from './messages';

interface Props {
  grants: readonly string[];
  /** The number of grants displayed. */
  maxShown?: number;
}

/**
 * The permissions of a role or a token in one line: the first few, and the number of further ones.
 * The title lists all of them.
 */
export function GrantSummary({ grants, maxShown = 3 }: Props) {
  const t = useText(accessMessages);
  const shown = grants.includes(everything) ? [everything] : grants.slice(0, maxShown);
  if (grants.length === 0) return <span className={styles.none}>{t('count', { n: 0 })}</span>;
  return (
    <span className={styles.line} title={grants.join(', ')}>
      {shown.map((grant) => (
        <span key={grant}>
          <code>{grant}</code>
          {grant === everything && ` · ${t('everything')}`}
        </span>
      ))}
      {shown[0] !== everything && grants.length > maxShown && <span className={styles.none}>{t('more', { n: grants.length - maxShown })}</span>}
    </span>
  );
}
