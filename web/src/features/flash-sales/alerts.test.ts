import { expect, test } from 'vitest';
import { alertsOf, patience } from './alerts';
import { statsOf } from './stats.fixture';

const calm = statsOf({
  refusedPerSecond: { soldOut: 9, limitReached: 9, saleNotOpen: 9, queueFull: 0 },
  refusals: { soldOut: 9, limitReached: 9, saleNotOpen: 9, queueFull: 9 },
});

test('a healthy sale has no alerts despite rejections', () => {
  expect(alertsOf({ rate: null }, { ...calm, queued: 5, oldestQueuedSeconds: patience })).toEqual([]);
});

test('lost tickets and stalled or full queues alert by severity', () => {
  const stats = { ...calm, lost: 1, queued: 40, oldestQueuedSeconds: patience + 1, refusedPerSecond: { ...calm.refusedPerSecond, queueFull: 0.2 } };
  expect(alertsOf({ rate: null }, stats)).toEqual(['lost', 'stuck', 'full']);
});

test('an emptying queue may be twice as old as its rate implies', () => {
  const stats = { ...calm, queued: 1000, oldestQueuedSeconds: 200 };
  expect(alertsOf({ rate: 10 }, stats)).toEqual([]);
  expect(alertsOf({ rate: 100 }, stats)).toEqual(['stuck']);
  expect(alertsOf({ rate: null }, stats)).toEqual(['stuck']);
});
