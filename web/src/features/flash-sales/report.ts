import type { Sale, SaleStats, Sample } from './queries';

/** The result of a closed sale. */
export interface Report {
  /** Units of orders that are not cancelled. */
  sold: number;
  /** The offered units without them; they are in stock again. */
  unsold: number;
  /** The value of the sold units at the price of the sale, in minor units. */
  revenue: number;
  /** The time from the start until no unit was left for sale, in ms; undefined if units were left or the samples do not reach back to that time. */
  soldOutAfter: number | undefined;
}

/** `samples` are the last samples of the sale, oldest first. The end of a sale returns its unsold units to stock, so only its terms have the offered units. */
export function reportOf(
  { price, quantity, startsTime }: Pick<Sale, 'price' | 'quantity' | 'startsTime'>,
  { confirmed }: SaleStats,
  samples: readonly Sample[],
): Report {
  const soldOut = samples.findLast(({ stats }, i) => {
    const before = samples[i - 1]?.stats;
    return before !== undefined && before.remaining > 0 && stats.remaining === 0 && stats.allotted >= before.allotted;
  });
  return {
    sold: confirmed,
    unsold: Math.max(0, quantity - confirmed),
    revenue: confirmed * price,
    soldOutAfter: soldOut && Math.max(0, soldOut.at - Date.parse(startsTime)),
  };
}
