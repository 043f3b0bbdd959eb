import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { foundAs } from '@/features/resources';
import { useLanguage, useLocalText, useText } from '@/i18n';
import { Icon, useProblemText } from '@/ui';
import { shellMessages } from '@/ui/shell/messages';
import { useSearchable } from '@/ui/shell/pages';
import { byKind, found, longestQuery, type Found } from './queries';
import styles from './SearchDialog.module.css';
import '@mantine/spotlight/styles.css';

const [store, spotlight] = createSpotlight();
/** The debounce delay before the search request, in ms. */
const pause = 150;

/** The search: pages by name, and records of every kind from the service. */
export default function SearchDialog({ open, close }: { open: boolean; close: () => void }) {
  const t = useText(shellMessages);
  const text = useLocalText();
  const problemText = useProblemText();
  const router = useRouter();
  const [typed, setTyped] = useState('');
  const query = typed.trim();
  const pages = usePages(query);
  const { hits, error, searching } = useHits(query);
  useEffect(() => (open ? spotlight.open() : spotlight.close()), [open]);
  const go = (address: string) => router.history.push(address);
  // Without an arrow-key selection, Enter opens the first result, which is marked as such.
  const hasChain = hits.some(({ kind, title }) => foundAs[kind].timeline !== undefined && title.toLowerCase() === query.toLowerCase());
  const chain = hasChain ? `/timeline?q=${encodeURIComponent(JSON.stringify(query))}` : undefined;
  const first = pages[0]?.to ?? hits[0]?.href;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isChosen = event.currentTarget.closest('[role=dialog]')?.querySelector('[data-selected]') !== null;
    if (event.key !== 'Enter' || isChosen || first === undefined || event.nativeEvent.isComposing) return;
    event.preventDefault();
    spotlight.close();
    go(first);
  };
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={setTyped}
      onSpotlightClose={close}
      shortcut={null}
      scrollable
      maxHeight={460}
      centered={false}
      yOffset="12vh"
      overlayProps={{ blur: 0 }}
      title={t('searchLabel')}
      classNames={styles}
    >
      <Spotlight.Search
        placeholder={t('searchHint')}
        aria-label={t('searchLabel')}
        onKeyDown={onKeyDown}
        maxLength={longestQuery}
        leftSection={<Icon name="search" size={18} />}
      />
      <Spotlight.ActionsList aria-busy={searching}>
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label={t('pages')}>
            {pages.map(({ to, title }) => (
              <Spotlight.Action key={to} data-first={to === first || undefined} onClick={() => go(to)}>
                {title}
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        )}
        {byKind(hits).map(([kind, group]) => (
          <Spotlight.ActionsGroup key={kind} label={text(foundAs[kind].label)}>
            {group.map((hit) => (
              <Spotlight.Action key={hit.id} data-first={hit.href === first || undefined} onClick={() => go(hit.href)}>
                <HitText hit={hit} />
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {chain !== undefined && (
          <Spotlight.ActionsGroup label={t('timelines')}>
            <Spotlight.Action onClick={() => go(chain)}>{t('timelineOf', { query })}</Spotlight.Action>
          </Spotlight.ActionsGroup>
        )}
        {error !== null && (
          <Spotlight.Empty role="alert" className={styles.failed}>
            {t('searchFailed', { why: problemText(error) })}
          </Spotlight.Empty>
        )}
        {error === null && pages.length + hits.length === 0 && (
          <Spotlight.Empty role="status">{searching ? t('searching') : t('nothingFound', { query })}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function HitText({ hit: { kind, title, subtitle } }: { hit: Found }) {
  const { language } = useLanguage();
  const { isNamed, statuses } = foundAs[kind];
  return (
    <>
      <span className={isNamed === true ? undefined : 'mono'}>{title}</span>
      {subtitle !== '' && <span className={styles.hint}>{statuses?.[language][subtitle] ?? subtitle}</span>}
    </>
  );
}

/** Returns the pages with a text in their title, in either language. */
function usePages(query: string): { to: string; title: string }[] {
  const text = useLocalText();
  const needle = query.toLowerCase();
  return useSearchable()
    .filter(({ page }) => Object.values(page.title).some((title) => title.toLowerCase().includes(needle)))
    .map(({ to, page }) => ({ to, title: text(page.title) }));
}

function useHits(query: string): { hits: Found[]; error: Error | null; searching: boolean } {
  const [settled] = useDebouncedValue(query, pause);
  const { data, error, isFetching } = useQuery(found(settled));
  // Results for an earlier text do not match the current one.
  const current = query === settled;
  return { hits: (current && data) || [], error: current ? error : null, searching: query !== '' && (!current || isFetching) };
}
