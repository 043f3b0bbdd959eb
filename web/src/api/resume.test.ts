import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followResumable } from './resume';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const streamOf = (text: string) =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    }),
  );

test('after a break the stream goes on behind the last event that arrived', async () => {
  const asked: (string | null)[] = [];
  const replies = [
    streamOf('id: 7\nevent: ready\ndata: {}\n\nid: 8\nevent: change\ndata: {}\n\n'),
    new Response('', { status: 503 }),
    streamOf('id: 9\nevent: change\ndata: {}\n\n'),
  ];
  const send = vi.fn((_: unknown, init?: RequestInit) => {
    asked.push(new Headers(init?.headers).get('Last-Event-ID'));
    const reply = replies.shift();
    return reply === undefined ? new Promise<Response>(() => undefined) : Promise.resolve(reply);
  });
  const ids: string[] = [];
  const states: boolean[] = [];
  const end = followResumable({ address: '/watch', onEvent: ({ id }) => ids.push(id), onState: (connected) => states.push(connected), send });

  await vi.advanceTimersByTimeAsync(10_000);
  end();

  expect(ids).toEqual(['7', '8', '9']);
  expect(asked).toEqual([null, '8', '8', '9']);
  expect(states).toEqual([true, false, false, true, false]);
});

test('once ended it never asks again', async () => {
  const send = vi.fn(() => Promise.resolve(new Response('', { status: 503 })));
  const end = followResumable({ address: '/watch', onEvent: () => undefined, onState: () => undefined, send });
  await vi.advanceTimersByTimeAsync(0);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(send).toHaveBeenCalledOnce();
});
