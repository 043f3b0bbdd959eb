import { infiniteQueryOptions } from '@tanstack/react-query';

/** Returns the options of an infinite query. It reads a list page by page: each page contains the cursor of the next. */
export function pages<P extends { nextCursor: string | null }>(
  queryKey: readonly string[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<P>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
