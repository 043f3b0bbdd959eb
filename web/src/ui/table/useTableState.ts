import { useNavigate, useRouterState } from '@tanstack/react-router';
import { defaultPageSize, type TableSearch } from './search';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the pages before this one; the first page has none. */
    cursors?: (string | undefined)[];
  }
}

/** Filters, order and page of a list, kept in the address. */
export interface TableState<S extends TableSearch = TableSearch> {
  search: S;
  limit: number;
  /** Changes filters or order, which leads back to the first page. */
  set: (change: Partial<S>) => void;
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
export function useTableState<S extends TableSearch>(search: S): TableState<S> {
  const navigate = useNavigate();
  const cursors = useRouterState({ select: (state) => state.location.state.cursors });
  const limit = search.limit ?? defaultPageSize;
  const go = (next: S, past: (string | undefined)[] | undefined, replace = false) =>
    void navigate({ to: '.', search: without(next) as never, state: past === undefined ? {} : { cursors: past }, replace, resetScroll: false });
  const set = (change: Partial<S>) => go({ ...search, ...change, cursor: undefined }, undefined, true);
  return {
    search,
    limit,
    set,
    sortBy: (field) => set({ sort: search.sort === field ? `-${field}` : search.sort === `-${field}` ? undefined : field } as Partial<S>),
    next: (cursor) => go({ ...search, cursor }, [...(cursors ?? []), search.cursor]),
    previous: () => go({ ...search, cursor: cursors?.at(-1) }, cursors?.slice(0, -1)),
    first: () => go({ ...search, cursor: undefined }, undefined),
    before: search.cursor === undefined ? 0 : cursors === undefined ? undefined : cursors.length * limit,
    hasPrevious: search.cursor !== undefined && (cursors?.length ?? 0) > 0,
  };
}

function without(search: TableSearch): TableSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}
