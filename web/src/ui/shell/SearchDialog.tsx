import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMay } from '@/api';
import { useLocalText, useText } from '@/i18n';
import { Icon } from '../Icon';
import { shellMessages } from './messages';
import { useEntries } from './pages';
import { loadProviders, type Hit } from './search';
import styles from './SearchDialog.module.css';
import '@mantine/spotlight/styles.css';

const [store, spotlight] = createSpotlight();
const pause = 150;

interface Group {
  label: string;
  hits: Hit[];
}

/** The search: pages by name, and what the features' providers find. */
export default function SearchDialog({ open, close }: { open: boolean; close: () => void }) {
  const t = useText(shellMessages);
  const router = useRouter();
  const [query, setQuery] = useState('');
  const { groups, failed, searching } = useHits(query.trim());
  useEffect(() => (open ? spotlight.open() : spotlight.close()), [open]);
  const found = groups.some(({ hits }) => hits.length > 0);
  return (
    <Spotlight.Root store={store} query={query} onQueryChange={setQuery} onSpotlightClose={close} shortcut={null} scrollable maxHeight={420} centered={false} yOffset="12vh" overlayProps={{ blur: 0 }} title={t('searchLabel')} classNames={styles}>
      <Spotlight.Search
        placeholder={t('searchHint')}
        aria-label={t('searchLabel')}
        leftSection={<Icon name="search" size={18} />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ label, hits }) =>
          hits.length === 0 ? null : (
            <Spotlight.ActionsGroup key={label} label={label}>
              {hits.map((hit) => (
                <Spotlight.Action key={hit.id} onClick={() => router.history.push(hit.to)}>
                  <span className={hit.mono === true ? 'mono' : undefined}>{hit.title}</span>
                  {hit.hint !== undefined && <span className={styles.hint}>{hit.hint}</span>}
                </Spotlight.Action>
              ))}
            </Spotlight.ActionsGroup>
          ),
        )}
        {!found && <Spotlight.Empty>{searching ? t('searching') : t('nothingFound', { query })}</Spotlight.Empty>}
        {failed && <Spotlight.Empty>{t('searchFailed')}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useHits(query: string): { groups: Group[]; failed: boolean; searching: boolean } {
  const t = useText(shellMessages);
  const text = useLocalText();
  const may = useMay();
  const entries = useEntries();
  const [settled] = useDebouncedValue(query, pause);
  const { data: providers = [] } = useQuery({ queryKey: ['search', 'providers'], queryFn: loadProviders, staleTime: Infinity });
  const offered = providers.filter(({ permission }) => may(permission));
  const results = useQueries({
    queries: offered.map((provider) => ({
      queryKey: ['search', provider.label.en, settled],
      queryFn: ({ signal }: { signal: AbortSignal }) => provider.find(settled, signal),
      enabled: settled !== '',
    })),
  });
  const wanted = query.toLowerCase();
  const pages = entries
    .filter(({ page }) => Object.values(page.title).some((title) => title.toLowerCase().includes(wanted)))
    .map<Hit>(({ to, page }) => ({ id: `page ${to}`, title: text(page.title), to }));
  return {
    groups: [{ label: t('pages'), hits: pages }, ...offered.map(({ label }, i) => ({ label: text(label), hits: results[i]?.data ?? [] }))],
    failed: results.some(({ isError }) => isError),
    searching: query !== settled || results.some(({ isFetching }) => isFetching),
  };
}
