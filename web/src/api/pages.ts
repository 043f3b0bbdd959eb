import { infiniteQueryOptions } from '@tanstack/react-query';

/** A query that reads page after page, newest first: for histories. */
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
