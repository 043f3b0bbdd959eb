import type { Sale, SaleStats } from './queries';

/** The result of a closed sale. */
export interface Report {
  /** Units of orders that are not cancelled. */
  sold: number;
  /** The offered units without them; they are in stock again. */
  unsold: number;
  /** The value of the sold units at the price of the sale, in minor units. */
  revenue: number;
  /** The time from the start to the order of the last unit, in ms; undefined if units were left or that order is not known. */
  soldOutAfter: number | undefined;
}

/** `lastOrder` is the time of the sale's last order. The end of a sale returns its unsold units to stock, so only its terms have the offered units. */
export function reportOf(
  { price, quantity, startsTime }: Pick<Sale, 'price' | 'quantity' | 'startsTime'>,
  { confirmed }: Pick<SaleStats, 'confirmed'>,
  lastOrder: string | null | undefined,
): Report {
  const unsold = Math.max(0, quantity - confirmed);
  const isKnown = unsold === 0 && typeof lastOrder === 'string';
  return {
    sold: confirmed,
    unsold,
    revenue: confirmed * price,
    soldOutAfter: isKnown ? Math.max(0, Date.parse(lastOrder) - Date.parse(startsTime)) : undefined,
  };
}
