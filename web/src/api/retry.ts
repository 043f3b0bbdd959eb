import { isProblem, type ApiProblem } from './problem';

/** Waits before the attempts after the first, in ms. */
const delays = [100, 200, 400] as const;
/** A service that asks for more than this is waited for by the person, not by the page. */
const longestWait = 5_000;

const safe = new Set(['GET', 'HEAD']);

/**
 * What is known of a keyed request while it is repeated.
 *
 * - waiting: it was turned away before anything was done.
 * - checking: it may have been carried out; the repeat brings the truth.
 */
export type Doubt = 'waiting' | 'checking';

/** The keyed requests of this page that are being repeated, by key. */
export class Attempts {
  readonly #doubts = new Map<string, Doubt>();
  readonly #listeners = new Set<() => void>();
  readonly #replays = new Set<(key: string) => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Undefined for a request that is not being repeated. */
  of(key: string): Doubt | undefined {
    return this.#doubts.get(key);
  }

  /** Calls the handler when a request is answered with what an earlier one with its key was answered. */
  onReplay(handler: (key: string) => void): () => void {
    this.#replays.add(handler);
    return () => this.#replays.delete(handler);
  }

  /** Once in doubt, a later refusal does not tell what the first attempt did. */
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
 * Repeats a write that carries an idempotency key, with that key, when its outcome is
 * not known or the service asks to come again. Writes without a key and reads are
 * sent once.
 */
export function retrying(send: Send, log: Attempts = attempts, wait = pause): Send {
  return async (request) => {
    const key = safe.has(request.method) ? null : request.headers.get('X-Idempotency-Key');
    if (key === null) return send(request);
    let replayed = false;
    try {
      for (let failures = 0; ; failures++) {
        try {
          const response = await send(request.clone());
          replayed = response.headers.get('X-Idempotency-Replay') === 'true';
          return response;
        } catch (error) {
          const delay = delayAfter(error, failures);
          if (delay === undefined) throw error;
          log.doubt(key, isProblem(error, 'rate_limited') ? 'waiting' : 'checking');
          await wait(delay, request.signal);
        }
      }
    } finally {
      log.answered(key, replayed);
    }
  };
}

/** How long until the next attempt, in ms; undefined when what was said is the answer. */
function delayAfter(error: unknown, failures: number): number | undefined {
  const delay = delays[failures];
  if (delay === undefined || !asksForRetry(error)) return undefined;
  const asked = error.retryAfter ?? 0;
  return asked > longestWait ? undefined : Math.max(delay, asked);
}

const asksForRetry = (error: unknown): error is ApiProblem =>
  isProblem(error, 'no_connection', 'timed_out', 'unavailable', 'outcome_unknown', 'request_in_progress', 'inflight_duplicate', 'rate_limited');

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
