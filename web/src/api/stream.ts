import { Channel, hold } from '@/browser/channel';
import { readEvents, type ServerEvent } from './sse';
import type { SessionStore } from './session';

/**
 * - off: nobody is signed in, or the service has no stream.
 * - connecting: for the first time.
 * - live: what is shown is current.
 * - lost: reconnecting; what is shown is as old as `since` says.
 * - asleep: the page is hidden, and no page that is seen holds a stream.
 */
export type LiveStatus = 'off' | 'connecting' | 'live' | 'lost' | 'asleep';

export interface LiveState {
  status: LiveStatus;
  /** When something last arrived, ms since 1970; undefined before the first time. */
  since: number | undefined;
}

/** What the tab with the stream tells the others. */
type Told = { kind: 'event'; event: ServerEvent } | { kind: 'state'; state: LiveState; lastId: string } | { kind: 'gap' } | { kind: 'hello' };

/** The service is heard of every ten seconds; after two and a half missed it is gone. */
const silence = 25_000;
const firstDelay = 500;
const longestDelay = 30_000;
/** A hidden tab holds the stream for so long, in ms: who looks elsewhere for a moment comes back to the same. */
const hiddenFor = 20_000;
/** Tabs that cannot tell who holds it hold one each, and give it back at once. */
const grace = 'locks' in navigator ? hiddenFor : 0;
/** How long until a service without a stream is asked again. */
const absentDelay = 60_000;

interface Options {
  /** Of the stream, the same in every tab: "live". */
  name: string;
  address: string;
  sessions: SessionStore;
  /** Goes on behind the last event that arrived; what was missed comes first, or `lagged`. Otherwise a break is a gap. */
  resumes?: boolean;
  send?: typeof fetch;
}

/**
 * A stream of server-sent events of which a browser has one, however many tabs follow
 * it: HTTP/1.1 allows six connections a site. Of the tabs that are seen one holds it and
 * passes on what arrives; when it is closed, or hidden for a while, another takes over.
 * While none is seen there is no stream.
 *
 * It reconnects by itself with a growing, random delay, and tells how old what arrived
 * is. After a break events may be missing: `onGap` says so, in every tab.
 */
export class SharedStream {
  #state: LiveState = { status: 'off', since: undefined };
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sleep: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #lastId = '';
  /** Ends what was started. */
  #running: AbortController | undefined;
  /** Gives up waiting for the stream, or the stream itself. */
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

  /** Calls the handler for each event, until the returned function is called. */
  onEvent(handler: (event: ServerEvent) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Calls the handler when events may have been missed. */
  onGap(handler: () => void): () => void {
    this.#gaps.add(handler);
    return () => this.#gaps.delete(handler);
  }

  /** Follows the stream for somebody; tabs of others have no part in it. */
  start(owner: string): void {
    if (this.#running !== undefined) return;
    const running = new AbortController();
    this.#running = running;
    const shared = `interlock.stream/${owner}/${this.#options.name}`;
    this.#channel = new Channel(shared);
    const stop = this.#channel.on((message) => this.#hear(message as Told));
    running.signal.addEventListener('abort', stop);
    document.addEventListener('visibilitychange', () => this.#look(shared), { signal: running.signal });
    window.addEventListener('online', () => this.#state.status === 'lost' && this.#isHolder && this.#connect(), { signal: running.signal });
    this.#set('connecting');
    this.#look(shared);
    this.#channel.post({ kind: 'hello' } satisfies Told);
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

  /** A page that is seen waits for its turn; one that is hidden gives it back after a while. */
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

  /** What was passed on while this page was hidden came through, unless nobody held the stream for a while. */
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
    const goesOn = resumes && this.#lastId !== '';
    if (goesOn) headers.set('Last-Event-ID', this.#lastId);
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
    if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
    if (this.#state.since !== undefined && !goesOn) this.#gap();
    this.#failures = 0;
    this.#heard(abort);
    return await readEvents(
      response.body,
      (event) => {
        this.#deliver(event);
        this.#channel?.post({ kind: 'event', event } satisfies Told);
      },
      () => this.#heard(abort),
    );
  }

  #hear(message: Told): void {
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
    // Unlike a break, this is said within the stream.
    if (event.event === 'lagged') this.#gaps.forEach((handler) => handler());
  }

  #gap(): void {
    this.#gaps.forEach((handler) => handler());
    this.#channel?.post({ kind: 'gap' } satisfies Told);
  }

  #heard(abort: AbortController): void {
    this.#watch(abort);
    this.#tell('live', Date.now());
  }

  #watch(abort: AbortController): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => abort.abort(), silence);
  }

  /** Connects again after as long as the service asked for, or a delay that grows. */
  #lost(abort: AbortController, asked?: number): void {
    if (this.#running === undefined || abort !== this.#abort) return;
    clearTimeout(this.#watchdog);
    const delay = Math.min(longestDelay, firstDelay * 2 ** this.#failures++);
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

  /** Says in every tab how the stream stands. */
  #tell(status: LiveStatus, since = this.#state.since): void {
    this.#set(status, since);
    this.#channel?.post({ kind: 'state', state: this.#state, lastId: this.#lastId } satisfies Told);
  }

  #set(status: LiveStatus, since = this.#state.since): void {
    if (this.#state.status === status && this.#state.since === since) return;
    this.#state = { status, since };
    this.#listeners.forEach((listener) => listener());
  }
}
