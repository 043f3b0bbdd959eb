import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useMay, useOwner } from '@/api';
import { recents } from '@/browser/recents';
import { useLanguage, useLocalText, useText } from '@/i18n';
import { acts, useActs, type Act } from '@/ui/acts/acts';
import { useSearchable } from '@/ui/shell/pages';
import { createId } from '../CreateButton';
import { creatable, foundAs } from '../resources';
import { searchMessages } from './messages';
import { byKind, found, type Found } from './queries';

/** An option of the command bar. */
export interface Command {
  id: string;
  label: string;
  hint?: string;
  /** Displays the label in monospace, for ids. */
  mono?: boolean;
  /** The keys that execute it without the command bar. */
  keys?: readonly string[];
  run: () => void;
}

export interface CommandGroup {
  label: string;
  commands: Command[];
}

export interface Commands {
  groups: CommandGroup[];
  error: Error | null;
  isSearching: boolean;
}

/** The debounce delay before the search request, in ms. */
const pause = 150;
/** The number of recent records, in a list without and with a text. */
const [recentShown, recentFound] = [6, 3];

/** Returns whether each word of a query is contained in a text. */
const isMatch = (query: string, ...texts: string[]): boolean => {
  const text = texts.join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** An act matches by its label. Its subject narrows the match, but does not match alone. */
const matchesAct = (query: string, { label, subject = '' }: Act): boolean =>
  isMatch(query, label, subject) && query.split(/\s+/).some((word) => isMatch(word, label));

/** The acts of the page, recent records, pages, new records, and the records that the service finds for a text. */
export function useCommands(query: string, withActs: boolean): Commands {
  const t = useText(searchMessages);
  const text = useLocalText();
  const { language } = useLanguage();
  const may = useMay();
  const owner = useOwner();
  const router = useRouter();
  const at = useLocation({ select: ({ pathname }) => pathname });
  const offered = useActs();
  const searchable = useSearchable();
  const { hits, error, isSearching } = useHits(query);
  const go = (address: string) => router.history.push(address);

  const ofActs = (list: readonly Act[]): Command[] =>
    // A list that is empty offers its act twice.
    [...new Map(list.map((act) => [`${act.label} ${act.subject ?? ''}`, act])).values()]
      .filter((act) => matchesAct(query, act))
      .map(({ label, subject, hotkey, run }) => ({ id: `act ${label}`, label, hint: subject, keys: hotkey === undefined ? undefined : [hotkey], run }));
  const shownActs = withActs ? offered : [];
  const here: CommandGroup = { label: t('here'), commands: ofActs(shownActs.filter(({ isGeneral }) => isGeneral !== true)) };
  const general: CommandGroup = { label: t('general'), commands: ofActs(shownActs.filter(({ isGeneral }) => isGeneral === true)) };
  const create: CommandGroup = {
    label: t('create'),
    commands: creatable
      .filter(({ folder, create: { label, permission } }) => {
        const isHere = shownActs.some(({ id }) => id === createId(folder));
        return withActs && !isHere && may(permission) && isMatch(query, label.en, label.zh);
      })
      .map(({ folder, create: { label } }) => ({
        id: createId(folder),
        label: text(label),
        run: () => {
          if (!acts.request(createId(folder))) go(`/${folder}`);
        },
      })),
  };
  const pages: CommandGroup = {
    label: t('pages'),
    commands: searchable
      .filter(({ page }) => isMatch(query, page.title.en, page.title.zh))
      .map(({ to, page }) => ({
        id: to,
        label: text(page.title),
        keys: page.navigation?.key === undefined ? undefined : ['g', page.navigation.key],
        run: () => go(to),
      })),
  };
  const recent: CommandGroup = {
    label: t('recent'),
    commands: recents
      .list(owner)
      .filter(({ to, name, kind }) => to !== at && isMatch(query, name, kind.en, kind.zh))
      .slice(0, query === '' ? recentShown : recentFound)
      .map(({ to, name, kind }) => ({ id: to, label: name, hint: text(kind), run: () => go(to) })),
  };
  const seen = new Set(recent.commands.map(({ id }) => id));
  const records = byKind(hits.filter(({ href }) => !seen.has(href))).map(([kind, group]): CommandGroup => {
    const { label, isNamed, statuses } = foundAs[kind];
    return {
      label: text(label),
      commands: group.map(({ id, title, subtitle, href }) => ({
        id: `${kind} ${id}`,
        label: title,
        hint: statuses?.[language][subtitle] ?? subtitle,
        mono: isNamed !== true,
        run: () => go(href),
      })),
    };
  });
  const hasTimeline = hits.some(({ kind, title }) => foundAs[kind].timeline !== undefined && title.toLowerCase() === query.toLowerCase());
  const timeline: CommandGroup = {
    label: t('timelines'),
    commands: hasTimeline
      ? [{ id: 'timeline', label: t('timelineOf', { query }), run: () => go(`/timeline?q=${encodeURIComponent(JSON.stringify(query))}`) }]
      : [],
  };
  // Results that arrive later are at the end, so that no option moves.
  const groups = query === '' ? [here, recent, create, pages, general] : [here, pages, create, general, recent, ...records, timeline];
  return { groups: groups.filter(({ commands }) => commands.length > 0), error, isSearching };
}

function useHits(query: string): { hits: Found[]; error: Error | null; isSearching: boolean } {
  const [settled] = useDebouncedValue(query, pause);
  const { data, error, isFetching } = useQuery(found(settled));
  // Results for an earlier text do not match the current one.
  const isCurrent = query === settled;
  return { hits: (isCurrent && data) || [], error: isCurrent ? error : null, isSearching: query !== '' && (!isCurrent || isFetching) };
}
