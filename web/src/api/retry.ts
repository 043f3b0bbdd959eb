import { ApiProblem, isProblem, otherIdentity } from './problem';

/** Waits before the attempts after the first, in ms. */
const delays = [100, 200, 400] as const;
/** If the service requests a longer wait, the client shows the error instead of waiting. */
const maxWait = 5_000;
/** The wait for an attempt in progress, after which the user is informed, and the longest pause between two checks, in ms. */
const stillRunning = 8_000;
const maxPause = 1_000;

const safe = new Set(['GET', 'HEAD']);

/**
 * The state of a write that is being retried.
 * - waiting: the last attempt was rejected and changed nothing.
 * - checking: an attempt may have been carried out; the retry returns the outcome.
 */
export type Doubt = 'waiting' | 'checking';

/** The writes that this page is retrying, by key. */
export class Attempts {
  readonly #doubts = new Map<string, Doubt>();
  readonly #listeners = new Set<() => void>();
  readonly #replays = new Set<(key: string) => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The state of a write; undefined if it is not being retried. */
  of(key: string): Doubt | undefined {
    return this.#doubts.get(key);
  }

  /** Calls the handler when the service replays the stored reply of an earlier write with the same key. */
  onReplay(handler: (key: string) => void): () => void {
    this.#replays.add(handler);
    return () => this.#replays.delete(handler);
  }

  /** Sets the state of a write. It never changes from checking to waiting: a later rejection does not settle an unknown outcome. */
  doubt(key: string, doubt: Doubt): void {
    if (this.#doubts.get(key) === 'checking') return;
    this.#doubts.set(key, doubt);
    this.#changed();
  }

  answered(key: string, replayed: boolean): void {
    if (this.#doubts.delete(key)) this.#changed();
    if (replayed) this.#replays.forEach((handler) => handler(key));
  }

  #changed(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

export const attempts = new Attempts();

type Send = (request: Request) => Promise<Response>;

/**
 * Retries a write if its outcome is unknown or the service requests a retry. This covers writes
 * with an idempotency key, under the same key, and guarded deletions, which delete at most once.
 * All other requests are sent once.
 *
 * The error that it finally throws reports whether an earlier attempt may have been carried out. It
 * never retries for another user or in another tenant: `owner` returns the signed-in user.
 */
export function retrying(send: Send, owner: () => string | undefined, log: Attempts = attempts, wait = pause): Send {
  return async (request) => {
    const isDeletion = request.method === 'DELETE' && request.headers.has('If-Match');
    const key = safe.has(request.method) ? null : request.headers.get('X-Idempotency-Key');
    if (key === null && !isDeletion) return send(request);
    const name = key ?? request.url;
    const sender = owner();
    let replayed = false;
    let isInDoubt = false;
    let waited = 0;
    try {
      for (let failures = 0; ; failures++) {
        try {
          const response = await send(request.clone());
          replayed = response.headers.get('X-Idempotency-Replay') === 'true';
          return response;
        } catch (error) {
          if (!(error instanceof ApiProblem)) throw error;
          // The record is deleted. An earlier attempt, with a lost reply, may have deleted it.
          if (isDeletion && isInDoubt && error.code === 'not_found') return new Response(null, { status: 204 });
          error.isInDoubt = isInDoubt;
          isInDoubt ||= error.isOutcomeUnknown;
          const delay = delayAfter(error, failures, waited);
          if (delay === undefined) throw error;
          waited += delay;
          log.doubt(name, error.isOutcomeUnknown ? 'checking' : 'waiting');
          await wait(delay, request.signal);
          if (owner() !== sender) throw Object.assign(otherIdentity(), { isInDoubt });
        }
      }
    } finally {
      log.answered(name, replayed);
    }
  };
}

/** The delay before the next attempt, in ms; undefined if the error is final. */
function delayAfter(error: ApiProblem, failures: number, waited: number): number | undefined {
  if (isProblem(error, 'request_in_progress', 'inflight_duplicate')) {
    // The service has received an earlier attempt and finishes it within the request deadline.
    return waited > stillRunning ? undefined : Math.min(maxPause, Math.max(error.retryAfter ?? 0, delays[0] * 2 ** failures));
  }
  const delay = delays[failures];
  if (delay === undefined || !isRetryable(error)) return undefined;
  const wait = error.retryAfter ?? 0;
  return wait > maxWait ? undefined : Math.max(delay, wait);
}

const isRetryable = (error: ApiProblem): boolean =>
  isProblem(error, 'no_connection', 'timed_out', 'bad_gateway', 'unavailable', 'outcome_unknown', 'rate_limited');

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
