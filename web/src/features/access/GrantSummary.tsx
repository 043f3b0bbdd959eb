import { useText } from '@/i18n';
import { everything } from './grants';
import styles from './GrantSummary.module.css';
import { accessMessages } from './messages';

interface Props {
  grants: readonly string[];
  /** So many are shown. */
  most?: number;
}

/** What a role or a token allows, in a line: the first few, and how many more. All of it is the title. */
export function GrantSummary({ grants, most = 3 }: Props) {
  const t = useText(accessMessages);
  const shown = grants.includes(everything) ? [everything] : grants.slice(0, most);
  if (grants.length === 0) return <span className={styles.none}>{t('count', { n: 0 })}</span>;
  return (
    <span className={styles.line} title={grants.join(', ')}>
      {shown.map((grant) => (
        <span key={grant}>
          <code>{grant}</code>
          {grant === everything && ` · ${t('everything')}`}
        </span>
      ))}
      {shown[0] !== everything && grants.length > most && <span className={styles.none}>{t('more', { n: grants.length - most })}</span>}
    </span>
  );
}
