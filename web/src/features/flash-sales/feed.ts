import { minutes, type SaleStats, type Sample } from './queries';

/** The numbers of the last minutes, oldest first. */
export type Feed = readonly Sample[];

/** How far back the charts go, in ms. */
export const span = minutes * 60_000;
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
  const from = sample.at - span;
  // The newest one before the window tells what held at its beginning.
  const first = feed.findLastIndex(({ at }) => at <= from);
  return [...feed.slice(Math.max(0, first)), sample];
}

/** Fills a feed up with what the numbers were while nobody followed them. */
export function filled(feed: Feed, samples: Feed): Feed {
  if (samples.length === 0) return feed;
  const newest = feed.at(-1)?.at ?? Infinity;
  return [...samples.filter(({ at }) => at < newest), ...feed].toSorted((a, b) => a.at - b.at);
}

export type Line = (stats: SaleStats) => number;

/** The times of a chart, in seconds since 1970, and a row of values for each of its lines. */
export interface Columns {
  times: number[];
  rows: (number | null)[][];
}

const step = 1000;

/** A chart shows at least so much, in ms, however short the sale has been followed. */
export const shortest = 60_000;

/**
 * Reads lines off the feed once a second, from when it began, at most the span before
 * `now`; null where the numbers were not known.
 */
export function columnsOf(feed: Feed, lines: readonly Line[], now: number): Columns {
  const last = Math.floor(now / step) * step;
  const began = Math.floor((feed[0]?.at ?? last) / step) * step;
  const from = Math.max(last - span, Math.min(began, last - shortest));
  const times: number[] = [];
  const rows: (number | null)[][] = lines.map(() => []);
  let i = -1;
  for (let time = from; time <= last; time += step) {
    while (i + 1 < feed.length && (feed[i + 1]?.at ?? Infinity) < time + step) i++;
    const known = feed[i];
    const stats = known !== undefined && time - known.at <= holds ? known.stats : undefined;
    times.push(time / step);
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
