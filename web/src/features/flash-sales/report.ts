import type { Sale, SaleStats, Sample } from './queries';

/** The result of a closed sale. */
export interface Report {
  /** Units of orders that are not cancelled. */
  sold: number;
  /** Their value at the price of the sale, in minor units. */
  revenue: number;
  /** The time from the start until no unit was left for sale, in ms; undefined if units are left or the samples do not reach back to that time. */
  soldOutAfter: number | undefined;
}

/** `samples` are the last samples of the sale, oldest first. */
export function reportOf({ price, startsTime }: Pick<Sale, 'price' | 'startsTime'>, stats: SaleStats, samples: readonly Sample[]): Report {
  const last = samples.findLastIndex((sample) => sample.stats.remaining > 0);
  const soldOut = stats.remaining === 0 && last >= 0 ? samples[last + 1] : undefined;
  return {
    sold: stats.confirmed,
    revenue: stats.confirmed * price,
    soldOutAfter: soldOut && Math.max(0, soldOut.at - Date.parse(startsTime)),
  };
}
