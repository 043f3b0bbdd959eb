import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '@/test/service';
import { SessionStore } from './session';
import { readEvents, type ServerEvent } from './sse';
import { SharedStream } from './stream';

/** A stream whose end the test controls. */
class Line {
  controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly response = new Response(new ReadableStream<Uint8Array>({ start: (controller) => void (this.controller = controller) }));

  say(text: string) {
    this.controller?.enqueue(new TextEncoder().encode(text));
  }

  end() {
    this.controller?.close();
  }

  cut() {
    this.controller?.error(new Error('cut'));
  }
}

/** The channels and locks that the tabs of one browser share. */
const tabs = { channels: new Map<string, Set<FakeChannel>>(), queues: new Map<string, (() => void)[]>() };

class FakeChannel {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  readonly #peers: Set<FakeChannel>;
  constructor(name: string) {
    this.#peers = tabs.channels.get(name) ?? new Set();
    tabs.channels.set(name, this.#peers.add(this));
  }
  postMessage(data: unknown) {
    this.#peers.forEach((peer) => peer !== this && peer.onmessage?.({ data: structuredClone(data) }));
  }
}

const locks = {
  request: async (name: string, { signal }: { signal: AbortSignal }, held: () => Promise<void>) => {
    const queue = tabs.queues.get(name) ?? [];
    tabs.queues.set(name, queue);
    await new Promise<void>((turn, reject) => {
      queue.push(turn);
      signal.addEventListener('abort', () => {
        if (queue[0] !== turn) queue.splice(queue.indexOf(turn), 1);
        reject(new Error('given up'));
      });
      if (queue.length === 1) turn();
    });
    await held();
    queue.shift();
    queue[0]?.();
  },
};

const lines: Line[] = [];
const requests: Request[] = [];
const send = vi.fn<typeof fetch>();

function open(options: { resumes?: boolean } = {}) {
  const sessions = new SessionStore();
  sessions.signedIn(session());
  return new SharedStream({ name: 'live', address: '/api/v1/events', sessions, send, ...options });
}

let seen: 'visible' | 'hidden' = 'visible';
const look = (state: typeof seen) => {
  seen = state;
  document.dispatchEvent(new Event('visibilitychange'));
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  Object.defineProperty(navigator, 'locks', { configurable: true, value: locks });
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => seen);
  seen = 'visible';
  tabs.channels.clear();
  tabs.queues.clear();
  lines.length = 0;
  requests.length = 0;
  send.mockReset().mockImplementation((input, init) => {
    requests.push(new Request(new URL(input as string, 'http://localhost'), { headers: init?.headers }));
    const line = new Line();
    lines.push(line);
    init?.signal?.addEventListener('abort', () => line.cut());
    return Promise.resolve(line.response);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const event = 'id: 41\nevent: configs\ndata: {"key":"a"}\n\n';

test('one tab owns the stream, and another replaces it', async () => {
  const [first, second] = [open(), open()];
  const heard: [ServerEvent[], ServerEvent[]] = [[], []];
  first.onEvent((one) => heard[0].push(one));
  second.onEvent((one) => heard[1].push(one));
  first.start('o');
  second.start('o');
  await settle();
  expect(send).toHaveBeenCalledTimes(1);

  lines[0]?.say(event);
  await settle();
  expect(heard.map((events) => events.map(({ data }) => data))).toEqual([['{"key":"a"}'], ['{"key":"a"}']]);
  expect([first, second].map((stream) => stream.state().status)).toEqual(['live', 'live']);

  const gap = vi.fn();
  second.onGap(gap);
  first.stop();
  await settle();
  expect(send).toHaveBeenCalledTimes(2);
  expect(second.state().status).toBe('live');
  expect(gap).toHaveBeenCalledTimes(1);
  second.stop();
});

test('tabs of other users have a separate stream', async () => {
  const [first, second] = [open(), open()];
  first.start('o');
  second.start('another');
  await settle();
  expect(send).toHaveBeenCalledTimes(2);
  first.stop();
  second.stop();
});

test('a background tab opens no stream until it is visible', async () => {
  seen = 'hidden';
  const stream = open();
  stream.start('o');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(send).not.toHaveBeenCalled();
  expect(stream.state().status).toBe('asleep');
  look('visible');
  await settle();
  expect(stream.state().status).toBe('live');
  stream.stop();
});

test('a hidden tab closes its stream and catches up later', async () => {
  const stream = open();
  const gap = vi.fn();
  stream.onGap(gap);
  stream.start('o');
  await settle();
  look('hidden');
  await vi.advanceTimersByTimeAsync(5_000);
  look('visible');
  await settle();
  expect(send).toHaveBeenCalledTimes(1);

  look('hidden');
  await vi.advanceTimersByTimeAsync(21_000);
  expect(stream.state().status).toBe('asleep');
  look('visible');
  await settle();
  expect(send).toHaveBeenCalledTimes(2);
  expect(gap).toHaveBeenCalledTimes(1);
  stream.stop();
});

test('a lost connection reopens and missed changes are read', async () => {
  const stream = open();
  const gap = vi.fn();
  stream.onGap(gap);
  stream.start('o');
  await settle();
  lines[0]?.say(event);
  await settle();
  const { since } = stream.state();

  lines[0]?.cut();
  await settle();
  expect(stream.state()).toEqual({ status: 'lost', since });
  await vi.advanceTimersByTimeAsync(1000);

  expect(stream.state().status).toBe('live');
  expect(requests[1]?.headers.get('Last-Event-ID')).toBeNull();
  expect(gap).toHaveBeenCalledTimes(1);
  stream.stop();
});

test('the service sets the reconnect delay after it ends a stream', async () => {
  const stream = open();
  stream.start('o');
  await settle();
  lines[0]?.say('retry: 2500\n\n');
  lines[0]?.end();
  await settle();
  await vi.advanceTimersByTimeAsync(2400);
  expect(send).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(send).toHaveBeenCalledTimes(2);
  stream.stop();
});

test('a complete stream resumes at its cursor in any tab', async () => {
  const [first, second] = [open({ resumes: true }), open({ resumes: true })];
  const gap = vi.fn();
  second.onGap(gap);
  first.start('o');
  second.start('o');
  await settle();
  lines[0]?.say(event);
  await settle();
  first.stop();
  await settle();
  expect(requests[1]?.headers.get('Last-Event-ID')).toBe('41');
  expect(gap).not.toHaveBeenCalled();
  second.stop();
});

test('a stream without a cursor reports a gap on reconnect', async () => {
  const stream = open({ resumes: true });
  const gap = vi.fn();
  stream.onGap(gap);
  stream.start('o');
  await settle();
  lines[0]?.say('event: configs\ndata: {"key":"a"}\n\n');
  await settle();
  lines[0]?.cut();
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests[1]?.headers.get('Last-Event-ID')).toBeNull();
  expect(gap).toHaveBeenCalledTimes(1);

  lines[1]?.say(event);
  await settle();
  lines[1]?.cut();
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests[2]?.headers.get('Last-Event-ID')).toBe('41');
  expect(gap).toHaveBeenCalledTimes(1);
  lines[2]?.say('event: lagged\ndata: {"topics":["configs"]}\n\n');
  await settle();
  expect(gap).toHaveBeenCalledTimes(2);
  stream.stop();
});

test('reconnect delays grow while the service is down', async () => {
  const stream = open();
  send.mockImplementation(() => Promise.reject(new TypeError('Failed to fetch')));
  stream.start('o');
  await vi.advanceTimersByTimeAsync(10 * 60_000);

  expect(send.mock.calls.length).toBeGreaterThan(15);
  expect(send.mock.calls.length).toBeLessThan(60);
  stream.stop();
});

test('a silent connection is closed', async () => {
  const stream = open();
  stream.start('o');
  await settle();
  for (let i = 0; i < 6; i++) {
    await vi.advanceTimersByTimeAsync(10_000);
    lines[0]?.say(': ping\n\n');
  }
  await settle();
  expect(send).toHaveBeenCalledTimes(1);

  await vi.advanceTimersByTimeAsync(27_000);

  expect(send).toHaveBeenCalledTimes(2);
  stream.stop();
});

test('a closed stream sends nothing', async () => {
  const stream = open();
  stream.start('o');
  await settle();
  stream.stop();
  await vi.advanceTimersByTimeAsync(120_000);

  expect(send).toHaveBeenCalledTimes(1);
  expect(stream.state().status).toBe('off');
});

test.each([
  ['data: a\n\n', ['message|a']],
  ['event: x\r\ndata: a\r\ndata: b\r\n\r\n', ['x|a\nb']],
  [': comment\n\nevent: x\n\ndata:a\n\n', ['message|a']],
  ['data: 中文\n\n', ['message|中文']],
])('the stream %j has the events %j at every split', async (text, want) => {
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const heard: string[] = [];
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    await readEvents(
      body,
      (one) => heard.push(`${one.event}|${one.data}`),
      () => undefined,
    );
    expect(heard).toEqual(want);
  }
});
