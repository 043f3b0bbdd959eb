import { expect, test } from 'vitest';
import { columnsOf, endOf, filled, follow, holds, inMs, peakOf, ranges, refusedSoFar, shortest, type Feed } from './feed';
import type { SaleStats } from './queries';
import { statsOf } from './stats.fixture';

const start = 1_800_000_000_000;
const furthest = inMs(60);

const sample = (seconds: number, confirmed: number) => ({
  at: start + seconds * 1000,
  stats: statsOf({
    remaining: 100 - confirmed,
    confirmed,
    acceptedPerSecond: confirmed,
    arrivalsPerSecond: 3 * confirmed,
    refusedPerSecond: { soldOut: confirmed, limitReached: confirmed, saleNotOpen: 0, queueFull: 0 },
    refusals: { soldOut: 5 * confirmed, limitReached: 2, saleNotOpen: 3, queueFull: 4 },
  }),
});

const feedOf = (...samples: [number, number][]): Feed => samples.reduce<Feed>((feed, [seconds, confirmed]) => follow(feed, sample(seconds, confirmed)), []);
const confirmed = (stats: SaleStats) => stats.confirmed;
const at = (feed: Feed, now: number, ...seconds: number[]) => {
  const { times, rows } = columnsOf(feed, [confirmed], start + now * 1000, 5);
  return seconds.map((second) => rows[0]?.[times.indexOf(start / 1000 + second)]);
};

test('samples are ordered by their time', () => {
  expect(feedOf([0, 1], [1, 2], [2, 5]).map(({ stats }) => stats.confirmed)).toEqual([1, 2, 5]);
});

test('a late reply does not move the time back', () => {
  const feed = feedOf([0, 1], [4, 9]);
  expect(follow(feed, sample(3, 6))).toBe(feed);
  expect(follow(feed, sample(4, 6))).toBe(feed);
});

test('samples before the window are removed except its first value', () => {
  const feed = feedOf([0, 1], [10, 2], [20, 3], [furthest / 1000 + 15, 4]);
  expect(feed.map(({ stats }) => stats.confirmed)).toEqual([2, 3, 4]);
});

test('the feed stays bounded during a long session', () => {
  let feed: Feed = [];
  for (let second = 0; second < 7200; second++) feed = follow(feed, sample(second, second));
  expect(feed.length).toBeLessThanOrEqual(furthest / 1000 + 1);
});

test('gaps are filled from history, and received samples stay', () => {
  const feed = filled(feedOf([60, 6], [61, 7], [200, 9]), [sample(0, 1), sample(30, 3), sample(60.5, 60), sample(100, 8), sample(210, 10)], 5);
  expect(feed.map(({ stats }) => stats.confirmed)).toEqual([1, 3, 6, 60, 7, 8, 9]);
  expect(at(feed, 200, 0, 10, 30, 60, 61, 100, 150, 200)).toEqual([1, 1, 3, 60, 7, 8, null, 9]);
  expect(filled([], [sample(0, 1)], 5)).toEqual([sample(0, 1)]);
});

test('earlier samples and peaks are excluded except the initial value', () => {
  const old = [sample(0, 90), sample(100, 80), sample(395, 5), sample(500, 6)];
  const feed = filled(feedOf([700, 7]), old, 5);
  expect(feed.map(({ stats }) => stats.confirmed)).toEqual([5, 6, 7]);
  expect(peakOf(feed, confirmed)).toBe(7);
  expect(filled(feedOf([700, 7]), old, 15)).toHaveLength(5);
  expect(filled([], old, 5).map(({ stats }) => stats.confirmed)).toEqual([80, 5, 6]);
});

test('the charts of an expired closed sale end with its last values', () => {
  const samples = [sample(0, 1), sample(10, 2)];
  expect(endOf(true, samples, sample(500, 2))).toBe(start + 10_000);
  expect(endOf(true, samples, sample(12, 2))).toBeUndefined();
  expect(endOf(false, samples, sample(500, 2))).toBeUndefined();
  expect(endOf(true, [], sample(500, 2))).toBeUndefined();
});

test.each(ranges)('a chart of %d minutes has at most one value per pixel', (range) => {
  const { times } = columnsOf(feedOf([0, 1], [3600, 2]), [confirmed], start + 3_600_000, range);
  expect(times.length).toBeLessThanOrEqual(901);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBe(range * 60);
});

test('a value is valid until the next one', () => {
  const feed = feedOf([0, 1], [3, 7]);
  expect(at(feed, 5, 0, 1, 2, 3, 4, 5)).toEqual([1, 1, 1, 7, 7, 7]);
});

test('values without updates are unknown and leave a gap', () => {
  const known = holds / 1000;
  const feed = feedOf([0, 1], [40, 2]);
  expect(at(feed, 41, -1, 0, known, known + 1, 39, 40, 41)).toEqual([null, 1, 1, null, null, 2, 2]);
});

test('each line of a chart has one value per second', () => {
  const { times, rows } = columnsOf(feedOf([0, 1]), [confirmed, (stats) => stats.remaining], start, 5);
  expect(rows.map((row) => row.length)).toEqual([times.length, times.length]);
  expect(rows.map((row) => row.at(-1))).toEqual([1, 99]);
});

test.each([
  { name: 'a chart shows a minute at first', followed: 5_000, shown: shortest },
  { name: 'it grows with the feed', followed: 100_000, shown: 100_000 },
  { name: 'it never shows more than the window', followed: 2 * inMs(5), shown: inMs(5) },
])('$name', ({ followed, shown }) => {
  const { times } = columnsOf(feedOf([0, 1], [followed / 1000, 2]), [confirmed], start + followed, 5);
  expect(times).toHaveLength(shown / 1000 + 1);
  expect(times.at(-1)).toBe((start + followed) / 1000);
});

test('the last value of a second counts', () => {
  expect(at(feedOf([0, 1], [0.2, 2], [0.9, 3]), 1, 0)).toEqual([3]);
});

test('the peak is the largest stored value', () => {
  expect(peakOf(feedOf([0, 3], [1, 9], [2, 4]), confirmed)).toBe(9);
  expect(peakOf([], confirmed)).toBe(0);
});

test('all rejected purchases are counted for any reason', () => {
  expect(refusedSoFar(sample(0, 10).stats)).toBe(50 + 2 + 3 + 4);
});
