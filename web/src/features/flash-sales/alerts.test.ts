import { expect, test } from 'vitest';
import { alertsOf, patience } from './alerts';
import { statsOf } from './stats.fixture';

const calm = statsOf({
  refusedPerSecond: { soldOut: 9, limitReached: 9, saleNotOpen: 9, queueFull: 0 },
  refusals: { soldOut: 9, limitReached: 9, saleNotOpen: 9, queueFull: 9 },
});

test('a sale that goes as it should has no alerts, whoever is refused', () => {
  expect(alertsOf({ rate: null }, { ...calm, queued: 5, oldestQueuedSeconds: patience })).toEqual([]);
});

test('tickets that were lost, a queue that stands still and one that is full are told, the worst first', () => {
  const stats = { ...calm, lost: 1, queued: 40, oldestQueuedSeconds: patience + 1, refusedPerSecond: { ...calm.refusedPerSecond, queueFull: 0.2 } };
  expect(alertsOf({ rate: null }, stats)).toEqual(['lost', 'stuck', 'full']);
});

test('a queue that is emptied at a rate may be as old as that makes it, twice over', () => {
  const stats = { ...calm, queued: 1000, oldestQueuedSeconds: 200 };
  expect(alertsOf({ rate: 10 }, stats)).toEqual([]);
  expect(alertsOf({ rate: 100 }, stats)).toEqual(['stuck']);
  expect(alertsOf({ rate: null }, stats)).toEqual(['stuck']);
});
