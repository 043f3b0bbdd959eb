import { QueryClient } from '@tanstack/react-query';
import { liveStream } from './hooks';
import { ApiProblem } from './problem';

const retries = 2;

/**
 * Returns the cache of what the service has said.
 *
 * A query's key begins with the topic of what it reads and, for a single thing, its
 * key: ['configs', 'list', filters], ['configs', 'one', 'checkout.tax']. A change
 * that is announced marks what it touches as old, and what is shown is read again. An
 * announcement without a key is about many.
 */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < retries && error instanceof ApiProblem && error.isTransient,
        retryDelay: (failures, error) => (error instanceof ApiProblem ? error.retryAfter : undefined) ?? 400 * 2 ** failures,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** An event with this action brings the numbers of what is going on; nothing was changed by it. */
const numbersOnly = 'stats';

/** Keeps the cache current with the stream, until the returned function is called. */
export function followLive(queries: QueryClient): () => void {
  const stop = [
    liveStream.on('*', (event) => {
      if (event.payload.action === numbersOnly) return;
      void queries.invalidateQueries({
        predicate: ({ queryKey: [topic, kind, key] }) => topic === event.topic && (kind !== 'one' || event.key === '' || String(key) === event.key),
      });
    }),
    liveStream.onGap(() => void queries.invalidateQueries()),
  ];
  return () => stop.forEach((end) => end());
}
