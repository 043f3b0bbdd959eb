import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { overview } from '@/api';
import { useFormat, useLocalText, useText } from '@/i18n';
import { Icon } from '../Icon';
import { shellMessages } from './messages';
import styles from './Navigation.module.css';
import { groupsOf, useEntries, type Entry } from './pages';

/** How often the counts are read without a reason, in ms. */
const refreshed = 60_000;

/** The pages in their groups, with how many things wait behind each. */
export function Navigation({ onOpen }: { onOpen?: () => void }) {
  const t = useText(shellMessages);
  const entries = useEntries();
  const { data: counts } = useQuery({ ...overview, refetchInterval: refreshed });
  return (
    <nav aria-label={t('navigation')} className={styles.navigation}>
      {groupsOf(entries).map(({ group, entries: pages }) => (
        <section key={group} aria-labelledby={`nav-${group}`}>
          <h2 id={`nav-${group}`} className={styles.group}>
            {t(group)}
          </h2>
          <ul className={styles.list}>
            {pages.map((entry) => (
              <Item key={entry.to} entry={entry} waiting={counts && entry.page.navigation.waiting?.(counts)} onOpen={onOpen} />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Item({ entry, waiting, onOpen }: { entry: Entry; waiting: number | undefined; onOpen?: () => void }) {
  const t = useText(shellMessages);
  const text = useLocalText();
  const { number } = useFormat();
  return (
    <li>
      <Link to={entry.to} className={styles.link} activeOptions={{ exact: entry.to === '/', includeSearch: false }} onClick={onOpen}>
        <span className={styles.name}>
          <Icon name={entry.page.navigation.icon} />
          {text(entry.page.title)}
        </span>
        {waiting !== undefined && waiting > 0 && (
          <span className={styles.count}>
            <span aria-hidden="true">{number(waiting)}</span>
            <span className="unseen">{t('waiting', { n: waiting })}</span>
          </span>
        )}
      </Link>
    </li>
  );
}
