import { ApiProblem, isProblem, otherIdentity } from './problem';

/** Waits before the attempts after the first, in ms. */
const delays = [100, 200, 400] as const;
/** A service that asks for more than this is waited for by the person, not by the page. */
const longestWait = 5_000;
/** How long the first attempt of a write may go on before the person is told, in ms, and the longest pause between asking. */
const stillRunning = 8_000;
const longestPause = 1_000;

const safe = new Set(['GET', 'HEAD']);

/**
 * What is known of a write while it is repeated.
 *
 * - waiting: it was turned away before anything was done.
 * - checking: it may have been carried out; the repeat brings the truth.
 */
export type Doubt = 'waiting' | 'checking';

/** The writes of this page that are being repeated, by key. */
export class Attempts {
  readonly #doubts = new Map<string, Doubt>();
  readonly #listeners = new Set<() => void>();
  readonly #replays = new Set<(key: string) => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Undefined for a write that is not being repeated. */
  of(key: string): Doubt | undefined {
    return this.#doubts.get(key);
  }

  /** Calls the handler when a write is answered with what an earlier one with its key was answered. */
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
 * Repeats a write when its outcome is not known or the service asks to come again: one
 * with an idempotency key, under that key, and a guarded deletion, which deletes no
 * more than once by itself. All else is sent once.
 *
 * What is thrown in the end says whether an attempt before it may have been carried out.
 * Nothing is repeated for somebody else than who sent it, nor in another tenant: `owner`
 * tells who is signed in.
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
          // It is gone, and what was lost may have been the word of it.
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

/** How long until the next attempt, in ms; undefined when what was said is the answer. */
function delayAfter(error: ApiProblem, failures: number, waited: number): number | undefined {
  if (isProblem(error, 'request_in_progress', 'inflight_duplicate')) {
    // It has been heard and will be answered: the service ends every request by itself.
    return waited > stillRunning ? undefined : Math.min(longestPause, Math.max(error.retryAfter ?? 0, delays[0] * 2 ** failures));
  }
  const delay = delays[failures];
  if (delay === undefined || !asksForRetry(error)) return undefined;
  const asked = error.retryAfter ?? 0;
  return asked > longestWait ? undefined : Math.max(delay, asked);
}

const asksForRetry = (error: ApiProblem): boolean =>
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
