import { useNavigate, useRouterState } from '@tanstack/react-router';
import { defaultPageSize, isUnreadable, type Unreadable, readable, unreadableIn, viewMembers, type Raw, type Reader, type TableSearch } from './search';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the previous pages; the first page has none. */
    cursors?: (string | undefined)[];
  }
}

/** The filters, order and page of a list, stored in the address. */
export interface TableState<S extends TableSearch = TableSearch> {
  /** The readable parameters. */
  search: S;
  /** The unreadable parameters. While there are any, nothing is fetched. */
  faults: readonly { name: string; text: string }[];
  limit: number;
  /** Changes filters or order, and returns to the first page. */
  set: (change: Partial<Raw<S>>) => void;
  /** The text of a filter, even an invalid one, and a function that changes it. */
  text: (name: keyof S & string, read: Reader<unknown>) => { value: string; isFaulty: boolean; change: (text: string | undefined) => void };
  /** Resets filters, order and page to their defaults. */
  clear: () => void;
  /** Sorts by a field; the second call sorts descending, the third restores the default order. */
  sortBy: (field: string) => void;
  next: (cursor: string) => void;
  previous: () => void;
  first: () => void;
  /** The number of rows before this page; undefined if the URL was opened on a later page. */
  before: number | undefined;
  hasPrevious: boolean;
}

/** Accepts the result of Route.useSearch(). Paging is by cursor, so the previous cursors are stored in the history state. */
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
