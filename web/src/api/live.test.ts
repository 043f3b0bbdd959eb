import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '@/test/service';
import { LiveStream, type LiveEvent } from './live';
import { SessionStore } from './session';
import { readEvents } from './sse';

/** A stream whose end the test holds. */
class Line {
  controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly response = new Response(new ReadableStream<Uint8Array>({ start: (controller) => void (this.controller = controller) }));

  say(text: string) {
    this.controller?.enqueue(new TextEncoder().encode(text));
  }

  cut() {
    this.controller?.error(new Error('cut'));
  }
}

function open() {
  const sessions = new SessionStore();
  sessions.signedIn(session());
  const lines: Line[] = [];
  const requests: Request[] = [];
  const send = vi.fn((input: RequestInfo | URL, init?: RequestInit) => {
    requests.push(new Request(new URL(input as string, 'http://localhost'), { headers: init?.headers }));
    const line = new Line();
    lines.push(line);
    init?.signal?.addEventListener('abort', () => line.cut());
    return Promise.resolve(line.response);
  });
  return { stream: new LiveStream(sessions, send), lines, requests, send };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

test('an event reaches those who watch its topic', async () => {
  const { stream, lines } = open();
  const heard: LiveEvent[] = [];
  stream.on('configs', (event) => heard.push(event));
  stream.start();
  await settle();

  lines[0]?.say('event: configs\ndata: {"key":"checkout.tax","version":3}\n\nevent: orders\ndata: {"key":"1"}\n\n');
  await settle();

  expect(heard).toEqual([{ topic: 'configs', key: 'checkout.tax', payload: { key: 'checkout.tax', version: 3 } }]);
  expect(stream.state().status).toBe('live');
  stream.stop();
});

test('a lost connection is opened again where it broke off, and what was missed is read again', async () => {
  const { stream, lines, requests } = open();
  const gap = vi.fn();
  stream.onGap(gap);
  stream.start();
  await settle();
  lines[0]?.say('id: 41\nevent: configs\ndata: {"key":"a"}\n\n');
  await settle();
  const { since } = stream.state();

  lines[0]?.cut();
  await settle();
  expect(stream.state()).toEqual({ status: 'lost', since });
  await vi.advanceTimersByTimeAsync(1000);

  expect(stream.state().status).toBe('live');
  expect(requests[1]?.headers.get('Last-Event-ID')).toBe('41');
  expect(gap).toHaveBeenCalledTimes(1);
  stream.stop();
});

test('a service that stays away is asked ever more seldom', async () => {
  const { stream, send } = open();
  send.mockImplementation(() => Promise.reject(new TypeError('Failed to fetch')));
  stream.start();
  await vi.advanceTimersByTimeAsync(10 * 60_000);

  expect(send.mock.calls.length).toBeGreaterThan(15);
  expect(send.mock.calls.length).toBeLessThan(60);
  stream.stop();
});

test('a link that has gone silent is given up', async () => {
  const { stream, lines, send } = open();
  stream.start();
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

test('after the end nothing is sent any more', async () => {
  const { stream, send } = open();
  stream.start();
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
])('the stream %j has the events %j, however it is cut', async (text, want) => {
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
      ({ event, data }) => heard.push(`${event}|${data}`),
      () => undefined,
    );
    expect(heard).toEqual(want);
  }
});
