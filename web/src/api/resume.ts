import { sessionStore } from './session';
import { readEvents, type ServerEvent } from './sse';

const silence = 25_000;
const firstDelay = 500;
const longestDelay = 30_000;

interface Options {
  /** Path of a stream that resumes by Last-Event-ID. */
  address: string;
  onEvent: (event: ServerEvent) => void;
  /** Whether what was sent so far has arrived; false while it reconnects. */
  onState: (connected: boolean) => void;
  send?: typeof fetch;
}

/**
 * Follows a stream in which nothing may be missed until the returned function is
 * called: after every break it goes on behind the last event that arrived.
 */
export function followResumable({ address, onEvent, onState, send = (...request) => fetch(...request) }: Options): () => void {
  const ended = new AbortController();
  let lastId = '';
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = async (): Promise<void> => {
    const attempt = new AbortController();
    const signal = AbortSignal.any([ended.signal, attempt.signal]);
    let watchdog = setTimeout(() => attempt.abort(), silence);
    const heard = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => attempt.abort(), silence);
    };
    try {
      const headers = new Headers({ Accept: 'text/event-stream' });
      if (lastId !== '') headers.set('Last-Event-ID', lastId);
      const response = await send(address, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
      if (response.status === 401) await sessionStore.expired();
      if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
      failures = 0;
      onState(true);
      await readEvents(
        response.body,
        (event) => {
          if (event.id !== '') lastId = event.id;
          onEvent(event);
        },
        heard,
      );
    } finally {
      clearTimeout(watchdog);
    }
  };
  const again = () => {
    if (ended.signal.aborted) return;
    onState(false);
    const delay = Math.min(longestDelay, firstDelay * 2 ** failures++);
    timer = setTimeout(run, delay * (0.5 + Math.random() / 2));
  };
  const run = () => void read().then(again, again);
  run();
  return () => {
    clearTimeout(timer);
    ended.abort();
  };
}
