import { notifyManager, QueryClient, type QueryKey } from '@tanstack/react-query';
import { afterPress } from '../browser/press';
import { liveStream, onBegin, onLive } from './live';
import { ApiProblem } from './problem';

const retries = 2;

/**
 * Returns the cache of what the service has said.
 *
 * A query's key begins with the topic of what it reads and, for a single thing, its
 * key: ['configs', 'list', filters], ['configs', 'one', 'checkout.tax']; a list of several
 * topics begins with all of them, and 'overview' reads a little of everything. A change that is announced marks
 * what it touches as old, and what is shown is read again. An announcement without a
 * key is about many. Pages hear of what is new once no pointer is pressed.
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

/** An event with this action brings the numbers of what is going on; nothing was changed by it. */
const numbersOnly = 'stats';
/** How long changes are gathered before what they touch is read again, in ms. */
const pause = 150;
/** Lists are read again at once so many times, and then once in a while, in ms: as long as changes go on coming. */
const burst = 5;
const refill = 5_000;

type Changed = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Gathers announced changes and passes them on in one go, a moment after the first of
 * them. `most` of them are passed on at that pace; more come one each `refill` ms. A page
 * that is hidden waits until it is seen.
 */
export class Gatherer {
  #changed = new Map<string, Set<string>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #spent: number[] = [];
  readonly #flush: (changed: Changed) => void;
  readonly #most: number;

  constructor(flush: (changed: Changed) => void, most = Infinity) {
    this.#flush = flush;
    this.#most = most;
  }

  add(topic: string, key: string): void {
    const keys = this.#changed.get(topic) ?? new Set();
    this.#changed.set(topic, keys.add(key));
    this.#timer ??= setTimeout(() => this.run(), Math.max(pause, this.#wait()));
  }

  /** Passes on now what was gathered, unless nobody looks. */
  run(): void {
    this.end();
    if (document.visibilityState === 'hidden' || this.#changed.size === 0) return;
    const changed = this.#changed;
    this.#changed = new Map();
    if (this.#most < Infinity) this.#spent.push(Date.now());
    this.#flush(changed);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** How long until the next is due: each that was passed on counts for as long as it takes to earn it again. */
  #wait(): number {
    const now = Date.now();
    this.#spent = this.#spent.filter((at) => now - at < this.#most * refill);
    const last = this.#spent.at(-1) ?? 0;
    return this.#spent.length < this.#most ? 0 : last + refill - now;
  }
}

/** Keeps the cache current with the stream, until the returned function is called. */
export function followLive(queries: QueryClient): () => void {
  const reread = (touches: (queryKey: QueryKey, changed: Changed) => boolean) => (changed: Changed) =>
    void queries.invalidateQueries({ predicate: ({ queryKey }) => changed.has('*') || touches(queryKey, changed) });
  // What is open is read again for its own changes only, and so at once.
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
    // Who is told of more may read more.
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
