import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { viewMembers, type Raw, type TableSearch } from './search';
import { useTableState, type TableState } from './useTableState';

/** A page of a list, as the service returns it. */
export interface ListPage<Row> {
  items: Row[];
  /** Null on the last page. A page may have fewer rows than requested, or none, and still have a next page. */
  nextCursor: string | null;
  /** The number of matching rows; a lower bound unless `totalIsExact`. */
  total: number;
  totalIsExact: boolean;
}

export interface List<Row, S extends TableSearch = TableSearch> {
  state: TableState<S>;
  query: Pick<UseQueryResult<ListPage<Row>>, 'data' | 'error' | 'isPending' | 'isFetching' | 'refetch'>;
  /** Reads the page after a cursor, with the current filters and order. */
  readPage: (cursor: string | undefined, signal?: AbortSignal) => Promise<ListPage<Row>>;
}

/** The service's maximum page size. */
const largestPage = 200;

interface Options<S extends TableSearch, Row> {
  /** The result of Route.useSearch(). */
  search: Raw<S>;
  /** Topic and kind: ['orders', 'list']. */
  queryKey: readonly string[];
  read: (search: S, signal?: AbortSignal) => Promise<ListPage<Row>>;
  /** The default order. */
  sort?: string;
  refetchInterval?: number;
}

/** Reads one page of a list of the service, with its filters and order. If the URL contains invalid values, nothing is fetched. */
export function useList<S extends TableSearch, Row>({ search, queryKey, read, sort, refetchInterval }: Options<S, Row>): List<Row, S> {
  const state = useTableState<S>(search, sort);
  const params = { ...ofList(state.search), limit: state.limit };
  const query = useQuery({
    queryKey: [...queryKey, params],
    queryFn: ({ signal }) => readOn((cursor) => read(cursor === undefined ? params : { ...params, cursor }, signal)),
    placeholderData: keepPreviousData,
    enabled: state.faults.length === 0,
    refetchInterval,
  });
  const { data, error, isPending, isFetching, refetch } = query;
  return {
    state,
    // For an invalid filter, the rows of an earlier filter must not be displayed.
    query:
      state.faults.length > 0
        ? { data: undefined, error: null, isPending: false, isFetching: false, refetch }
        : { data, error, isPending, isFetching, refetch },
    readPage: (cursor, signal) => read({ ...params, cursor, limit: largestPage }, signal),
  };
}

/** How many empty pages are skipped before the user has to continue. */
const passedOver = 20;

/** Reads a page. If the page is empty, because the service scanned many rows without a match, it also reads the next pages. */
export async function readOn<Row>(read: (cursor: string | undefined) => Promise<ListPage<Row>>): Promise<ListPage<Row>> {
  let page = await read(undefined);
  for (let n = 0; n < passedOver && page.items.length === 0 && page.nextCursor !== null; n++) {
    page = await read(page.nextCursor);
  }
  return page;
}

const ofList = <S extends TableSearch>(search: S): S => Object.fromEntries(Object.entries(search).filter(([name]) => !viewMembers.includes(name))) as S;

/** Reads page after page until the end or the maximum. */
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
