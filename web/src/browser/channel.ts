type Handler = (message: unknown) => void;

/** What the tabs of one browser tell each other. A tab does not hear itself. */
export class Channel {
  readonly #channel: BroadcastChannel | undefined;
  readonly #handlers = new Set<Handler>();

  constructor(name: string) {
    if (!('BroadcastChannel' in globalThis)) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => this.#handlers.forEach((handler) => handler(data));
  }

  post(message: unknown): void {
    this.#channel?.postMessage(message);
  }

  on(handler: Handler): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }
}

/**
 * Waits until this tab alone holds a name among all tabs of the browser, and then calls
 * back; the tab holds it until the signal aborts or the tab is gone.
 *
 * Pages that came neither over TLS nor from this machine have no locks: there every tab
 * holds every name, which is safe and costs a connection more.
 */
export function hold(name: string, signal: AbortSignal, onHeld: () => void): void {
  // The types know no browser without it.
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) {
    onHeld();
    return;
  }
  const held = () =>
    new Promise<void>((release) => {
      if (signal.aborted) {
        release();
        return;
      }
      signal.addEventListener('abort', () => release());
      onHeld();
    });
  locks.request(name, { signal }, held).catch(() => undefined);
}
