import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gatherer } from './queries';

const flush = vi.fn<(changed: ReadonlyMap<string, ReadonlySet<string>>) => void>();
let seen: 'visible' | 'hidden' = 'visible';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => seen);
  seen = 'visible';
  flush.mockReset();
});
afterEach(() => void vi.useRealTimers());

test('concurrent changes are delivered together', () => {
  const gatherer = new Gatherer(flush);
  for (let i = 0; i < 1000; i++) gatherer.add('orders', String(i % 10));
  expect(flush).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(flush).toHaveBeenCalledTimes(1);
  expect(flush.mock.calls[0]?.[0].get('orders')?.size).toBe(10);
});

test('a burst is delivered immediately, a longer one at intervals', () => {
  const gatherer = new Gatherer(flush, 5);
  // A change every 100 ms for a minute.
  for (let i = 0; i < 600; i++) {
    gatherer.add('orders', String(i));
    vi.advanceTimersByTime(100);
  }
  expect(flush.mock.calls.length).toBeGreaterThan(10);
  expect(flush.mock.calls.length).toBeLessThanOrEqual(5 + 60 / 5 + 1);
  vi.advanceTimersByTime(10_000);
  const passed = new Set(flush.mock.calls.flatMap(([changed]) => [...(changed.get('orders') ?? [])]));
  expect(passed.size).toBe(600);
});

test('a hidden page refetches when it becomes visible', () => {
  const gatherer = new Gatherer(flush);
  seen = 'hidden';
  gatherer.add('orders', '1');
  vi.advanceTimersByTime(60_000);
  expect(flush).not.toHaveBeenCalled();
  seen = 'visible';
  gatherer.run();
  expect(flush).toHaveBeenCalledTimes(1);
});
