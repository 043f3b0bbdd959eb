import type { SaleStats, Sample } from './queries';

/** The numbers of the last minutes, oldest first. */
export type Feed = readonly Sample[];

/** How far back the charts can go, in minutes; the service keeps as much as the furthest. */
export const ranges = [5, 15, 60] as const;
export type Range = (typeof ranges)[number];

export const inMs = (range: Range): number => range * 60_000;
/** What is followed here is remembered for the furthest range, so that another can be looked at. */
const remembered = inMs(60);

/**
 * Numbers that did not change are told again every ten seconds; after one and a half
 * of that they are not known any more, and the charts show a gap.
 */
export const holds = 15_000;

/**
 * Takes numbers in. A reply that was asked for before what is known came is dropped,
 * so that a slow poll never turns the clock back.
 */
export function follow(feed: Feed, sample: Sample): Feed {
  const last = feed.at(-1);
  if (last !== undefined && sample.at <= last.at) return feed;
  return since(sample.at - remembered, [...feed, sample]);
}

/** What a feed says of the time from a moment on: the newest numbers before it tell what held then. */
function since(from: number, feed: Feed): Feed {
  return feed.slice(
    Math.max(
      0,
      feed.findLastIndex(({ at }) => at <= from),
    ),
  );
}

/** Fills a feed up with what the numbers were while nobody followed them, and leaves out what lies before the range. */
export function filled(feed: Feed, samples: Feed, range: Range): Feed {
  const newest = feed.at(-1)?.at ?? Infinity;
  const all = [...samples.filter(({ at }) => at < newest), ...feed].toSorted((a, b) => a.at - b.at);
  const last = all.at(-1);
  return last === undefined ? all : since(last.at - inMs(range), all);
}

/**
 * When the charts of a closed sale end: with the last numbers that were kept, once it rests.
 * Undefined while its numbers are still kept, and of a sale that is not closed.
 */
export function endOf(isClosed: boolean, samples: Feed, last: Sample | undefined): number | undefined {
  const kept = samples.at(-1);
  return isClosed && kept !== undefined && last !== undefined && last.at - kept.at > 2 * holds ? kept.at : undefined;
}

export type Line = (stats: SaleStats) => number;

/** The times of a chart, in seconds since 1970, and a row of values for each of its lines. */
export interface Columns {
  times: number[];
  rows: (number | null)[][];
}

/** How far apart the values of a chart are, in ms; further back no more is known. */
const stepOf = (range: Range) => (range > 15 ? 5000 : 1000);

/** A chart shows at least so much, in ms, however short the sale has been followed. */
export const shortest = 60_000;

/**
 * Reads lines off the feed once a step, from when it began, at most the range before
 * `now`; null where the numbers were not known.
 */
export function columnsOf(feed: Feed, lines: readonly Line[], now: number, range: Range): Columns {
  const step = stepOf(range);
  const last = Math.floor(now / step) * step;
  const began = Math.floor((feed[0]?.at ?? last) / step) * step;
  const from = Math.max(last - inMs(range), Math.min(began, last - shortest));
  const times: number[] = [];
  const rows: (number | null)[][] = lines.map(() => []);
  let i = -1;
  for (let time = from; time <= last; time += step) {
    while (i + 1 < feed.length && (feed[i + 1]?.at ?? Infinity) < time + step) i++;
    const known = feed[i];
    const stats = known !== undefined && time - known.at <= holds ? known.stats : undefined;
    times.push(time / 1000);
    rows.forEach((row, line) => row.push(stats === undefined ? null : (lines[line]?.(stats) ?? null)));
  }
  return { times, rows };
}

/** How many purchases were refused, for whatever reason. */
export function refusedSoFar({ refusals }: SaleStats): number {
  return refusals.soldOut + refusals.limitReached + refusals.saleNotOpen + refusals.queueFull;
}

/** The largest value of a line in the feed. */
export function peakOf(feed: Feed, line: Line): number {
  return feed.reduce((most, { stats }) => Math.max(most, line(stats)), 0);
}
