import { readEvents, type ServerEvent } from './sse';
import type { SessionStore } from './session';

/** A change that the service announces. A hint: whoever acts on it reads again. */
export interface LiveEvent {
  topic: string;
  /** What changed within the topic: a config's key, an order's id. '' means many of them. */
  key: string;
  /** All that was said, as the contract has it: version, etag, action, changedBy, people… */
  payload: Readonly<Record<string, unknown>>;
}

/**
 * - off: nobody is signed in, or the service has no stream.
 * - connecting: for the first time.
 * - live: what is shown is current.
 * - lost: reconnecting; what is shown is as old as `since` says.
 * - asleep: the page is hidden and has let its connection go.
 */
export type LiveStatus = 'off' | 'connecting' | 'live' | 'lost' | 'asleep';

export interface LiveState {
  status: LiveStatus;
  /** When something last arrived, ms since 1970; undefined before the first time. */
  since: number | undefined;
}

type Handler = (event: LiveEvent) => void;

const address = '/api/v1/events';
/** The topics a page can watch; one connection carries them all. */
const topics = ['configs', 'orders', 'items', 'coupons', 'coupon-campaigns', 'inventory', 'wallets', 'aggregates', 'flash-sales', 'presence'];
/** The service is heard of every ten seconds; after two and a half missed it is gone. */
const silence = 25_000;
const firstDelay = 500;
const longestDelay = 30_000;
/** A browser grants one site six connections, so that hidden tabs give theirs back. */
const hiddenFor = 60_000;
/** How long until a service without a stream is asked again. */
const absentDelay = 60_000;

/**
 * The stream of changes. It reconnects by itself with a growing, random delay, tells
 * how old the shown data is, and after every gap calls `onGap`: whatever was missed
 * is read again.
 */
export class LiveStream {
  #state: LiveState = { status: 'off', since: undefined };
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sleep: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #lastId = '';
  #running = false;
  readonly #listeners = new Set<() => void>();
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #gaps = new Set<() => void>();
  readonly #sessions: SessionStore;
  readonly #send: typeof fetch;

  constructor(sessions: SessionStore, send: typeof fetch = (...request) => fetch(...request)) {
    this.#sessions = sessions;
    this.#send = send;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LiveState => this.#state;

  /** Calls the handler for each event of a topic, `*` for all, until the returned function is called. */
  on(topic: string, handler: Handler): () => void {
    const handlers = this.#handlers.get(topic) ?? new Set();
    this.#handlers.set(topic, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** Calls the handler when events may have been missed. */
  onGap(handler: () => void): () => void {
    this.#gaps.add(handler);
    return () => this.#gaps.delete(handler);
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    document.addEventListener('visibilitychange', this.#onVisibility);
    window.addEventListener('online', this.#onOnline);
    this.#connect();
  }

  stop(): void {
    if (!this.#running) return;
    this.#running = false;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    window.removeEventListener('online', this.#onOnline);
    this.#hangUp();
    clearTimeout(this.#sleep);
    this.#lastId = '';
    this.#set('off');
  }

  #connect(): void {
    this.#hangUp();
    const abort = new AbortController();
    this.#abort = abort;
    if (this.#state.status === 'off') this.#set('connecting');
    this.#read(abort).then(
      () => this.#lost(abort),
      () => this.#lost(abort),
    );
  }

  async #read(abort: AbortController): Promise<void> {
    const headers = new Headers({ Accept: 'text/event-stream' });
    if (this.#lastId !== '') headers.set('Last-Event-ID', this.#lastId);
    this.#watch(abort);
    const response = await this.#send(`${address}?topics=${topics.join(',')}`, {
      headers,
      signal: abort.signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
    if (response.status === 401) await this.#sessions.expired();
    if (response.status === 404) {
      this.#absent(abort);
      return;
    }
    if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
    if (this.#state.since !== undefined) this.#gaps.forEach((handler) => handler());
    this.#failures = 0;
    this.#heard(abort);
    await readEvents(
      response.body,
      (event) => this.#deliver(event),
      () => this.#heard(abort),
    );
  }

  #deliver(event: ServerEvent): void {
    if (event.id !== '') this.#lastId = event.id;
    if (event.event === 'ready') return;
    if (event.event === 'lagged') {
      this.#gaps.forEach((handler) => handler());
      return;
    }
    const live = liveEvent(event);
    this.#handlers.get(live.topic)?.forEach((handler) => handler(live));
    this.#handlers.get('*')?.forEach((handler) => handler(live));
  }

  #heard(abort: AbortController): void {
    this.#watch(abort);
    this.#set('live', Date.now());
  }

  #watch(abort: AbortController): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => abort.abort(), silence);
  }

  #lost(abort: AbortController): void {
    if (!this.#running || abort !== this.#abort) return;
    clearTimeout(this.#watchdog);
    const delay = Math.min(longestDelay, firstDelay * 2 ** this.#failures++);
    this.#set('lost');
    this.#timer = setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2));
  }

  #absent(abort: AbortController): void {
    if (abort !== this.#abort) return;
    this.#hangUp();
    this.#set('off');
    this.#timer = setTimeout(() => this.#connect(), absentDelay);
  }

  #hangUp(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#watchdog);
    const abort = this.#abort;
    this.#abort = undefined;
    abort?.abort();
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#sleep);
    if (document.visibilityState === 'hidden') {
      this.#sleep = setTimeout(() => {
        this.#hangUp();
        this.#set('asleep');
      }, hiddenFor);
    } else if (this.#state.status === 'asleep') {
      this.#set('lost');
      this.#connect();
    }
  };

  readonly #onOnline = (): void => {
    if (this.#state.status === 'lost') this.#connect();
  };

  #set(status: LiveStatus, since = this.#state.since): void {
    if (this.#state.status === status && this.#state.since === since) return;
    this.#state = { status, since };
    this.#listeners.forEach((listener) => listener());
  }
}

function liveEvent(event: ServerEvent): LiveEvent {
  const payload = JSON.parse(event.data) as Record<string, unknown>;
  return { topic: event.event, key: typeof payload.key === 'string' ? payload.key : '', payload };
}
