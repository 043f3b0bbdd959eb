import type { SaleStats, Sample } from './queries';

/** The numbers of the last minutes, oldest first. */
export type Feed = readonly Sample[];

/** The ranges of the charts, in minutes; the service stores the samples of the longest one. */
export const ranges = [5, 15, 60] as const;
export type Range = (typeof ranges)[number];

export const inMs = (range: Range): number => range * 60_000;
/** The feed covers the longest range, so that the user can switch between ranges. */
const remembered = inMs(60);

/**
 * How long a sample is valid, in ms. The service sends unchanged numbers every ten seconds; after
 * one and a half intervals the charts show a gap.
 */
export const holds = 15_000;

/** Adds a sample. A sample that is not newer than the last one is dropped, because the reply of a slow poll may arrive after an event. */
export function follow(feed: Feed, sample: Sample): Feed {
  const last = feed.at(-1);
  if (last !== undefined && sample.at <= last.at) return feed;
  return since(sample.at - remembered, [...feed, sample]);
}

/** Returns the part of a feed from a time on, and the last sample before that time, which was still valid then. */
function since(from: number, feed: Feed): Feed {
  return feed.slice(
    Math.max(
      0,
      feed.findLastIndex(({ at }) => at <= from),
    ),
  );
}

/** Adds earlier samples from the service to a feed, and drops samples before the range. */
export function filled(feed: Feed, samples: Feed, range: Range): Feed {
  const newest = feed.at(-1)?.at ?? Infinity;
  const all = [...samples.filter(({ at }) => at < newest), ...feed].toSorted((a, b) => a.at - b.at);
  const last = all.at(-1);
  return last === undefined ? all : since(last.at - inMs(range), all);
}

/**
 * The end of the charts of a closed sale: the time of its last stored sample. It is undefined for a
 * sale that is not closed, and while the service still stores samples.
 */
export function endOf(isClosed: boolean, samples: Feed, last: Sample | undefined): number | undefined {
  const lastSample = samples.at(-1);
  return isClosed && lastSample !== undefined && last !== undefined && last.at - lastSample.at > 2 * holds ? lastSample.at : undefined;
}

export type Line = (stats: SaleStats) => number;

/** The times of a chart, in seconds since 1970, and the values of each line. */
export interface Columns {
  times: number[];
  rows: (number | null)[][];
}

/** The interval between the values of a chart, in ms; older samples are less frequent. */
const stepOf = (range: Range) => (range > 15 ? 5000 : 1000);

/** The minimum time span of a chart, in ms, even for a shorter feed. */
export const shortest = 60_000;

/**
 * Samples the lines of a feed at each step, from its start or from the range before `now`,
 * whichever is later. Values are null where the numbers are unknown.
 */
export function columnsOf(feed: Feed, lines: readonly Line[], now: number, range: Range): Columns {
  const step = stepOf(range);
  const last = Math.floor(now / step) * step;
  const start = Math.floor((feed[0]?.at ?? last) / step) * step;
  const from = Math.max(last - inMs(range), Math.min(start, last - shortest));
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

/** The number of rejected purchases, for all reasons. */
export function refusedSoFar({ refusals }: SaleStats): number {
  return refusals.soldOut + refusals.limitReached + refusals.saleNotOpen + refusals.queueFull;
}

/** The maximum of a line in the feed. */
export function peakOf(feed: Feed, line: Line): number {
  return feed.reduce((most, { stats }) => Math.max(most, line(stats)), 0);
}
