import { useNavigate, useRouterState } from '@tanstack/react-router';
import { defaultPageSize, isUnreadable, type Unreadable, readable, unreadableIn, viewMembers, type Raw, type Reader, type TableSearch } from './search';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the pages before this one; the first page has none. */
    cursors?: (string | undefined)[];
  }
}

/** Filters, order and page of a list, kept in the address. */
export interface TableState<S extends TableSearch = TableSearch> {
  /** What can be read. */
  search: S;
  /** What cannot: while there is some, nothing is asked for. */
  faults: readonly { name: string; text: string }[];
  limit: number;
  /** Changes filters or order, which leads back to the first page. */
  set: (change: Partial<Raw<S>>) => void;
  /** The text of a filter, also when it cannot be read, and how it is changed. */
  text: (name: keyof S & string, read: Reader<unknown>) => { value: string; isFaulty: boolean; change: (text: string | undefined) => void };
  /** Leaves filters, order and page as the list opens with. */
  clear: () => void;
  /** Sorts by a field; again: descending; a third time: as the service likes. */
  sortBy: (field: string) => void;
  next: (cursor: string) => void;
  previous: () => void;
  first: () => void;
  /** How many rows stand before this page; undefined when the address was opened in its middle. */
  before: number | undefined;
  hasPrevious: boolean;
}

/** Takes what Route.useSearch() returns. Pages are cut by cursor, so the way back is kept in the history. */
export function useTableState<S extends TableSearch>(raw: Raw<S>, sort?: string): TableState<S> {
  const navigate = useNavigate();
  const cursors = useRouterState({ select: (state) => state.location.state.cursors });
  const search = { ...(sort === undefined ? {} : { sort }), ...readable<S>(raw) };
  const limit = search.limit ?? defaultPageSize;
  const go = (next: object, past: (string | undefined)[] | undefined, replace = false) =>
    void navigate({ to: '.', search: without(next) as never, state: past === undefined ? {} : { cursors: past }, replace, resetScroll: false });
  const set = (change: Partial<Raw<S>>) => go({ ...raw, ...change, cursor: undefined }, undefined, true);
  return {
    search,
    faults: unreadableIn(raw),
    limit,
    set,
    text: (name, read) => {
      const value = raw[name] as string | number | Unreadable | undefined;
      return {
        value: isUnreadable(value) ? value.unreadable : value === undefined ? '' : String(value),
        isFaulty: isUnreadable(value),
        change: (text) => set({ [name]: read(text) } as Partial<Raw<S>>),
      };
    },
    clear: () => go(Object.fromEntries(['limit', ...viewMembers].map((name) => [name, (raw as Record<string, unknown>)[name]])), undefined, true),
    sortBy: (field) => set({ sort: search.sort === field ? `-${field}` : search.sort === `-${field}` ? undefined : field } as Partial<Raw<S>>),
    next: (cursor) => go({ ...raw, cursor }, [...(cursors ?? []), search.cursor]),
    previous: () => go({ ...raw, cursor: cursors?.at(-1) }, cursors?.slice(0, -1)),
    first: () => go({ ...raw, cursor: undefined }, undefined),
    before: search.cursor === undefined ? 0 : cursors === undefined ? undefined : cursors.length * limit,
    hasPrevious: search.cursor !== undefined && (cursors?.length ?? 0) > 0,
  };
}

function without(search: object): object {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}
