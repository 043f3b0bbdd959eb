import type { SaleStats, SaleStatus } from './queries';

/** The possible locations of an allotted unit, in the order of the strip. */
export const places = ['remaining', 'queued', 'processing', 'dead', 'confirmed'] as const;
type Place = (typeof places)[number];

export interface Balance {
  /** The number of units in all locations. */
  counted: number;
  /** Allotted minus counted: positive if units are missing, negative if there are too many. */
  difference: number;
  /** Locations with a negative number. */
  negative: Place[];
  holds: boolean;
}

/** Adds up the units of a sale, independent of the check in the service. */
export function balanceOf(stats: SaleStats): Balance {
  const counted = places.reduce((sum, place) => sum + stats[place], 0);
  const difference = stats.allotted - counted;
  const negative = places.filter((place) => stats[place] < 0);
  return { counted, difference, negative, holds: stats.balanced && difference === 0 && negative.length === 0 };
}

/** The seconds until the sale is sold out at the current rate; undefined if nothing sells or no units remain. */
export function soldOutIn(status: SaleStatus, { remaining, acceptedPerSecond }: SaleStats): number | undefined {
  return status === 'open' && remaining > 0 && acceptedPerSecond > 0 ? remaining / acceptedPerSecond : undefined;
}

/** A sale after a change of its quantity. */
export interface Resized {
  quantity: number;
  /** The remaining units; undefined for a sale without allotted units. */
  remaining: number | undefined;
  fault: 'nothing' | 'belowOne' | 'tooMany' | 'soldAlready' | undefined;
}

const maxUnits = 100_000_000;

/** Previews a change of the quantity by a difference. Only unsold units can be removed. */
export function resized(quantity: number, stats: SaleStats | undefined, delta: number): Resized {
  const next = { quantity: quantity + delta, remaining: stats === undefined ? undefined : stats.remaining + delta };
  return { ...next, fault: faultOf(next, delta) };
}

function faultOf({ quantity, remaining }: Pick<Resized, 'quantity' | 'remaining'>, delta: number): Resized['fault'] {
  if (delta === 0) return 'nothing';
  if (delta < 0 && remaining !== undefined && remaining < 0) return 'soldAlready';
  if (quantity < 1) return 'belowOne';
  return quantity > maxUnits ? 'tooMany' : undefined;
}
