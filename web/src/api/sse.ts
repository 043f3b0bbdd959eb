/** One server-sent event (WHATWG HTML, 9.2). */
export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/**
 * Reads a stream of server-sent events. `onBytes` is called for all received bytes, including
 * comments. The service sends a comment every ten seconds, so silence means a dead connection,
 * which EventSource cannot detect. At the end of the stream it returns the reconnection delay that
 * the service requested, in ms.
 */
export async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (event: ServerEvent) => void, onBytes: () => void): Promise<number | undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new EventLines(onEvent);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return lines.retry;
    onBytes();
    lines.push(decoder.decode(value, { stream: true }));
  }
}

class EventLines {
  retry: number | undefined;
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];
  readonly #onEvent: (event: ServerEvent) => void;

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    lines.forEach((line) => this.#line(line));
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
  }

  #dispatch(): void {
    if (this.#data.length > 0) this.#onEvent({ id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') });
    this.#event = '';
    this.#data = [];
  }
}
