import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overview, type Overview } from '@/api';
import { useFormat, useLocalText, useText } from '@/i18n';
import { Icon } from '../Icon';
import { shellMessages } from './messages';
import { isElsewhere, partsOf, type NavigationNode } from './navigation';
import styles from './Navigation.module.css';
import { useNavigation } from './pages';

/** The refresh interval of the counts, in ms. */
const refreshed = 60_000;

/** The pages by group, each with its number of pending items. */
export function Navigation({ onOpen }: { onOpen?: () => void }) {
  const t = useText(shellMessages);
  const text = useLocalText();
  const parts = partsOf(useNavigation());
  const { data: counts } = useQuery({ ...overview, refetchInterval: refreshed });
  return (
    <nav aria-label={t('navigation')} className={styles.navigation}>
      {parts.map(({ heading, entries }) =>
        heading === undefined ? (
          <Entries key={entries[0]?.id} entries={entries} counts={counts} onOpen={onOpen} />
        ) : (
          <section key={heading.id} aria-labelledby={`nav-${heading.id}`}>
            <h2 id={`nav-${heading.id}`} className={styles.group}>
              {text(heading.title)}
            </h2>
            <Entries entries={entries} counts={counts} onOpen={onOpen} />
          </section>
        ),
      )}
    </nav>
  );
}

interface EntriesProps {
  entries: readonly NavigationNode[];
  counts: Overview | undefined;
  onOpen: (() => void) | undefined;
}

function Entries({ entries, counts, onOpen }: EntriesProps) {
  return (
    <ul className={styles.list}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <Entry entry={entry} waiting={counts && entry.waiting?.(counts)} onOpen={onOpen} />
          {entry.below.length > 0 && <Entries entries={entry.below} counts={counts} onOpen={onOpen} />}
        </li>
      ))}
    </ul>
  );
}

function Entry({ entry: { title, icon, to }, waiting, onOpen }: { entry: NavigationNode; waiting: number | undefined; onOpen: (() => void) | undefined }) {
  const t = useText(shellMessages);
  const text = useLocalText();
  const { number } = useFormat();
  const name = (
    <span className={styles.name}>
      {icon !== undefined && <Icon name={icon} />}
      <span className={styles.text}>{text(title)}</span>
    </span>
  );
  if (to === undefined) return <span className={styles.inner}>{name}</span>;
  if (isElsewhere(to)) {
    return (
      <a href={to} target="_blank" rel="noreferrer" className={styles.link} onClick={onOpen}>
        {name}
        <span className={styles.count}>
          <span aria-hidden="true">↗</span>
          <span className="unseen">{t('elsewhere')}</span>
        </span>
      </a>
    );
  }
  return (
    <PageLink to={to} onOpen={onOpen}>
      {name}
      {waiting !== undefined && waiting > 0 && (
        <span className={styles.count}>
          <span aria-hidden="true">{number(waiting)}</span>
          <span className="unseen">{t('waiting', { n: waiting })}</span>
        </span>
      )}
    </PageLink>
  );
}

/** Links to a page of this admin; the address may contain filters. */
function PageLink({ to, onOpen, children }: { to: string; onOpen: (() => void) | undefined; children: ReactNode }) {
  const { options } = useRouter();
  const [, path = to, query = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/.exec(to) ?? [];
  return (
    <Link
      to={path}
      search={query === '' ? undefined : options.parseSearch(query)}
      hash={hash === '' ? undefined : hash}
      className={styles.link}
      activeOptions={{ exact: path === '/', includeSearch: query !== '' }}
      onClick={onOpen}
    >
      {children}
    </Link>
  );
}
