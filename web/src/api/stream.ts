import { Channel, hold } from '@/browser/channel';
import { readEvents, type ServerEvent } from './sse';
import type { SessionStore } from './session';

/**
 * - off: signed out, or the service has no stream.
 * - connecting: for the first time.
 * - live: the page is current.
 * - lost: reconnecting; the page shows the data as of `since`.
 * - asleep: this page is hidden, and no visible page has a stream.
 */
export type LiveStatus = 'off' | 'connecting' | 'live' | 'lost' | 'asleep';

export interface LiveState {
  status: LiveStatus;
  /** When the last bytes arrived, in ms since 1970; undefined before the first. */
  since: number | undefined;
}

/** The messages between tabs. All except `hello`, with which a new tab requests the state, are from the tab with the stream. */
type TabMessage = { kind: 'event'; event: ServerEvent } | { kind: 'state'; state: LiveState; lastId: string } | { kind: 'gap' } | { kind: 'hello' };

/** The service sends a comment every ten seconds. A connection without data for this time, in ms, counts as dead. */
const silence = 25_000;
const firstDelay = 500;
const maxDelay = 30_000;
/** How long a hidden tab retains the stream, in ms, so that a short switch of tabs does not move it. */
const hiddenFor = 20_000;
/** Without the Web Locks API each tab connects separately and disconnects as soon as it is hidden. */
const grace = 'locks' in navigator ? hiddenFor : 0;
/** The delay before a service without a stream is tried again, in ms. */
const absentDelay = 60_000;

interface Options {
  /** The name of the stream, the same in every tab: "live". */
  name: string;
  address: string;
  sessions: SessionStore;
  /**
   * Whether the service resumes after the last received event: it sends the missed events first, or
   * `lagged`. Otherwise every break is a gap.
   */
  resumes?: boolean;
  send?: typeof fetch;
}

/**
 * A stream of server-sent events that all tabs of a browser share: HTTP/1.1 allows six connections
 * per site. One visible tab has the connection and forwards the events. When that tab is closed,
 * or hidden for a while, another tab connects. Without a visible tab there is no stream.
 *
 * It reconnects automatically with exponential backoff and jitter, and reports the age of the last
 * data. After a break events may be missing: `onGap` notifies every tab.
 */
export class SharedStream {
  #state: LiveState = { status: 'off', since: undefined };
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sleep: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #lastId = '';
  /** Aborts all activities of start. */
  #running: AbortController | undefined;
  /** Aborts the wait for the stream, or the stream itself. */
  #turn: AbortController | undefined;
  #isHolder = false;
  #channel: Channel | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #handlers = new Set<(event: ServerEvent) => void>();
  readonly #gaps = new Set<() => void>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LiveState => this.#state;

  /** Calls the handler for each event. The returned function unsubscribes. */
  onEvent(handler: (event: ServerEvent) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Calls the handler when events may have been missed. */
  onGap(handler: () => void): () => void {
    this.#gaps.add(handler);
    return () => this.#gaps.delete(handler);
  }

  /** Starts to follow the stream for an owner. Tabs of other owners do not share it. */
  start(owner: string): void {
    if (this.#running !== undefined) return;
    const running = new AbortController();
    this.#running = running;
    const shared = `interlock.stream/${owner}/${this.#options.name}`;
    this.#channel = new Channel(shared);
    const stop = this.#channel.on((message) => this.#hear(message as TabMessage));
    running.signal.addEventListener('abort', stop);
    document.addEventListener('visibilitychange', () => this.#look(shared), { signal: running.signal });
    window.addEventListener('online', () => this.#state.status === 'lost' && this.#isHolder && this.#connect(), { signal: running.signal });
    this.#set('connecting');
    this.#look(shared);
    this.#channel.post({ kind: 'hello' } satisfies TabMessage);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#release();
    clearTimeout(this.#sleep);
    this.#channel = undefined;
    this.#lastId = '';
    this.#state = { status: 'off', since: undefined };
    this.#listeners.forEach((listener) => listener());
  }

  /** A visible page queues for the stream; a hidden page releases it after a while. */
  #look(shared: string): void {
    clearTimeout(this.#sleep);
    if (document.visibilityState === 'hidden') {
      this.#sleep = setTimeout(() => this.#release(), this.#isHolder ? grace : 0);
      if (this.#state.status === 'connecting') this.#set('asleep');
      return;
    }
    this.#wake();
    if (this.#turn !== undefined) return;
    const turn = new AbortController();
    this.#turn = turn;
    hold(shared, turn.signal, () => {
      this.#isHolder = true;
      this.#connect();
    });
  }

  /** Sets the status when the page becomes visible. While it was hidden it received forwarded events, unless no tab had the stream. */
  #wake(): void {
    const { status, since } = this.#state;
    if (status === 'asleep') this.#set('lost', since ?? Date.now());
    else if (status === 'live' && !this.#isHolder && since !== undefined && Date.now() - since > silence) this.#set('lost');
  }

  #release(): void {
    this.#turn?.abort();
    this.#turn = undefined;
    this.#hangUp();
    if (!this.#isHolder) return;
    this.#isHolder = false;
    this.#tell('asleep');
  }

  #connect(): void {
    this.#hangUp();
    const abort = new AbortController();
    this.#abort = abort;
    this.#read(abort).then(
      (asked) => this.#lost(abort, asked),
      () => this.#lost(abort),
    );
  }

  async #read(abort: AbortController): Promise<number | undefined> {
    const { address, resumes = false, sessions, send = fetch.bind(globalThis) } = this.#options;
    const headers = new Headers({ Accept: 'text/event-stream' });
    const isResumed = resumes && this.#lastId !== '';
    if (isResumed) headers.set('Last-Event-ID', this.#lastId);
    this.#watch(abort);
    const response = await send(address, { headers, signal: abort.signal, credentials: 'same-origin', cache: 'no-store' });
    if (response.status === 401) {
      clearTimeout(this.#watchdog);
      await sessions.expired();
    }
    if (response.status === 404) {
      this.#absent(abort);
      return undefined;
    }
    if (!response.ok || response.body === null) throw new Error(`the stream returned ${response.status}`);
    if (this.#state.since !== undefined && !isResumed) this.#gap();
    this.#failures = 0;
    this.#heard(abort);
    return await readEvents(
      response.body,
      (event) => {
        this.#deliver(event);
        this.#channel?.post({ kind: 'event', event } satisfies TabMessage);
      },
      () => this.#heard(abort),
    );
  }

  #hear(message: TabMessage): void {
    if (this.#isHolder) {
      if (message.kind === 'hello') this.#tell(this.#state.status);
      return;
    }
    switch (message.kind) {
      case 'hello':
        return;
      case 'event':
        this.#deliver(message.event);
        return;
      case 'gap':
        this.#gaps.forEach((handler) => handler());
        return;
      case 'state':
        this.#lastId = message.lastId;
        this.#set(message.state.status === 'asleep' && document.visibilityState !== 'hidden' ? 'lost' : message.state.status, message.state.since);
    }
  }

  #deliver(event: ServerEvent): void {
    if (event.id !== '') this.#lastId = event.id;
    this.#handlers.forEach((handler) => handler(event));
    // The service sends `lagged` if it cannot resume. #gap handles a stream that does not resume.
    if (event.event === 'lagged') this.#gaps.forEach((handler) => handler());
  }

  #gap(): void {
    this.#gaps.forEach((handler) => handler());
    this.#channel?.post({ kind: 'gap' } satisfies TabMessage);
  }

  #heard(abort: AbortController): void {
    this.#watch(abort);
    this.#tell('live', Date.now());
  }

  #watch(abort: AbortController): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => abort.abort(), silence);
  }

  /** Reconnects after the delay that the service requested, or after a growing one. */
  #lost(abort: AbortController, asked?: number): void {
    if (this.#running === undefined || abort !== this.#abort) return;
    clearTimeout(this.#watchdog);
    const delay = Math.min(maxDelay, firstDelay * 2 ** this.#failures++);
    this.#tell('lost');
    this.#timer = setTimeout(() => this.#connect(), asked ?? delay * (0.5 + Math.random() / 2));
  }

  #absent(abort: AbortController): void {
    if (abort !== this.#abort) return;
    this.#hangUp();
    this.#tell('off');
    this.#timer = setTimeout(() => this.#connect(), absentDelay);
  }

  #hangUp(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#watchdog);
    const abort = this.#abort;
    this.#abort = undefined;
    abort?.abort();
  }

  /** Publishes the state of the stream to every tab. */
  #tell(status: LiveStatus, since = this.#state.since): void {
    this.#set(status, since);
    this.#channel?.post({ kind: 'state', state: this.#state, lastId: this.#lastId } satisfies TabMessage);
  }

  #set(status: LiveStatus, since = this.#state.since): void {
    if (this.#state.status === status && this.#state.since === since) return;
    this.#state = { status, since };
    this.#listeners.forEach((listener) => listener());
  }
}
