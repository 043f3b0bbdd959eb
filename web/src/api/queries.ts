import { notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query';
import { afterPress } from '../browser/press';
import { liveStream, onBegin, onLive } from './live';
import { ApiProblem } from './problem';

const retries = 2;

/**
 * Returns the cache of server state.
 *
 * A query key starts with its topic and, for a single record, its key: ['configs', 'list',
 * filters], ['configs', 'one', 'checkout.tax']. A list of several topics starts with all of them;
 * 'overview' depends on every topic. An announced change invalidates the matching queries, and
 * mounted ones are fetched again. An announcement without a key concerns many records. The cache
 * notifies components once no pointer is pressed.
 */
export function newQueryClient(): QueryClient {
  notifyManager.setScheduler(afterPress);
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

/** Events with this action carry statistics of a running sale; no record changed. */
const numbersOnly = 'stats';
/** How long changes are gathered before the matching queries are fetched again, in ms. */
const pause = 150;
/** Lists are fetched up to `burst` times in quick succession, then once every `refill` ms while changes continue. */
const burst = 5;
const refill = 5_000;

type Changed = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Gathers announced changes and flushes them together, `pause` ms after the first. After `burst`
 * flushes in quick succession it flushes once every `refill` ms. It does not flush while the page
 * is hidden; call `run` when the page becomes visible.
 */
export class Gatherer {
  #changed = new Map<string, Set<string>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #spent: number[] = [];
  readonly #flush: (changed: Changed) => void;
  readonly #burst: number;

  constructor(flush: (changed: Changed) => void, burst = Infinity) {
    this.#flush = flush;
    this.#burst = burst;
  }

  add(topic: string, key: string): void {
    const keys = this.#changed.get(topic) ?? new Set();
    this.#changed.set(topic, keys.add(key));
    this.#timer ??= setTimeout(() => this.run(), Math.max(pause, this.#wait()));
  }

  /** Flushes the gathered changes now, unless the page is hidden. */
  run(): void {
    this.end();
    if (document.visibilityState === 'hidden' || this.#changed.size === 0) return;
    const changed = this.#changed;
    this.#changed = new Map();
    if (this.#burst < Infinity) this.#spent.push(Date.now());
    this.#flush(changed);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * The time until the next flush, in ms. A flush counts for `burst` refill intervals. With fewer
   * than `burst` counted flushes the result is 0, otherwise one refill interval after the last
   * flush.
   */
  #wait(): number {
    const now = Date.now();
    this.#spent = this.#spent.filter((at) => now - at < this.#burst * refill);
    const last = this.#spent.at(-1) ?? 0;
    return this.#spent.length < this.#burst ? 0 : last + refill - now;
  }
}

/** Updates the cache from the stream. The returned function unsubscribes. */
export function followLive(queries: QueryClient): () => void {
  const reread = (touches: (queryKey: QueryKey, changed: Changed) => boolean) => (changed: Changed) =>
    void queries.invalidateQueries({ predicate: ({ queryKey }) => changed.has('*') || touches(queryKey, changed) });
  // A query of one record is only fetched again for changes of that record, so its rate is not limited.
  const records = new Gatherer(reread(([topic, kind, key], changed) => kind === 'one' && isNamed(changed.get(String(topic)), String(key))));
  const lists = new Gatherer(
    reread(([topic, kind], changed) => topic === 'overview' || (kind !== 'one' && [topic].flat().some((one) => changed.has(String(one))))),
    burst,
  );
  const onVisibility = () => [records, lists].forEach((gatherer) => gatherer.run());
  document.addEventListener('visibilitychange', onVisibility);
  const stop = [
    () => document.removeEventListener('visibilitychange', onVisibility),
    () => [records, lists].forEach((gatherer) => gatherer.end()),
    // Other topics mean other permissions, so records that were rejected before may now be readable.
    onBegin((otherTopics) => otherTopics && records.add('*', '')),
    onLive('*', ({ topic, key, payload }) => {
      if (topic === 'presence' || payload.action === numbersOnly) return;
      records.add(topic, key);
      lists.add(topic, key);
    }),
    liveStream.onGap(() => records.add('*', '')),
  ];
  return () => stop.forEach((end) => end());
}

const isNamed = (keys: ReadonlySet<string> | undefined, key: string): boolean => keys !== undefined && (keys.has('') || keys.has(key));
