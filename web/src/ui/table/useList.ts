import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { viewMembers, type Raw, type TableSearch } from './search';
import { useTableState, type TableState } from './useTableState';

/** A page of a list, as the service answers it. */
export interface ListPage<Row> {
  items: Row[];
  nextCursor: string | null;
  total: number;
}

export interface List<Row, S extends TableSearch = TableSearch> {
  state: TableState<S>;
  query: Pick<UseQueryResult<ListPage<Row>>, 'data' | 'error' | 'isPending' | 'isFetching' | 'refetch'>;
  /** Reads the page after a cursor, of all that match. */
  readPage: (cursor: string | undefined, signal?: AbortSignal) => Promise<ListPage<Row>>;
}

/** The most rows of a page that the service gives. */
const largestPage = 200;

interface Options<S extends TableSearch, Row> {
  /** What Route.useSearch() returns. */
  search: Raw<S>;
  /** Topic and kind: ['orders', 'list']. */
  queryKey: readonly string[];
  read: (search: S, signal?: AbortSignal) => Promise<ListPage<Row>>;
  /** In which order it opens. */
  sort?: string;
  refetchInterval?: number;
}

/** A list of the service with its filters, order and page. While the address holds what cannot be read, nothing is asked for. */
export function useList<S extends TableSearch, Row>({ search, queryKey, read, sort, refetchInterval }: Options<S, Row>): List<Row, S> {
  const state = useTableState<S>(search, sort);
  const asked = { ...ofList(state.search), limit: state.limit };
  const query = useQuery({
    queryKey: [...queryKey, asked],
    queryFn: ({ signal }) => read(asked, signal),
    placeholderData: keepPreviousData,
    enabled: state.faults.length === 0,
    refetchInterval,
  });
  const { data, error, isPending, isFetching, refetch } = query;
  return {
    state,
    // What was shown before is no answer to what cannot be read.
    query:
      state.faults.length > 0
        ? { data: undefined, error: null, isPending: false, isFetching: false, refetch }
        : { data, error, isPending, isFetching, refetch },
    readPage: (cursor, signal) => read({ ...asked, cursor, limit: largestPage }, signal),
  };
}

const ofList = <S extends TableSearch>(search: S): S => Object.fromEntries(Object.entries(search).filter(([name]) => !viewMembers.includes(name))) as S;

/** Reads page after page until there is no more, or enough. */
export async function readAll<Row>(
  readPage: List<Row>['readPage'],
  {
    most = Infinity,
    onCount,
    signal,
    wanted = () => true,
  }: { most?: number; onCount?: (n: number) => void; signal?: AbortSignal; wanted?: (row: Row) => boolean },
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor, signal);
    rows.push(...page.items.filter(wanted));
    onCount?.(rows.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < most);
  return rows;
}
