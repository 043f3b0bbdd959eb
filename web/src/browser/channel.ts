type Handler = (message: unknown) => void;

/** Sends messages between the tabs of one browser. A tab does not receive its messages. */
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
 * Calls `onHeld` once this tab has acquired a lock that is exclusive among all tabs of the browser.
 * The lock is released when the signal aborts or the tab is closed.
 *
 * Pages that were loaded neither over TLS nor from localhost have no locks. There `onHeld` is called
 * immediately in every tab, which is safe and costs additional connections.
 */
export function hold(name: string, signal: AbortSignal, onHeld: () => void): void {
  // The DOM types declare locks as always present.
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
