import type { SaleStats, SaleStatus } from './queries';

/** Where an allotted unit can be; the strip shows them in this order. */
export const places = ['remaining', 'queued', 'processing', 'dead', 'confirmed'] as const;
type Place = (typeof places)[number];

export interface Balance {
  /** Units found in the places. */
  counted: number;
  /** Allotted less counted: above 0 units are missing, below 0 there are too many. */
  difference: number;
  /** Places with less than nothing in them. */
  negative: Place[];
  holds: boolean;
}

/** Counts a sale's units again, whatever the service says of them. */
export function balanceOf(stats: SaleStats): Balance {
  const counted = places.reduce((sum, place) => sum + stats[place], 0);
  const difference = stats.allotted - counted;
  const negative = places.filter((place) => stats[place] < 0);
  return { counted, difference, negative, holds: stats.balanced && difference === 0 && negative.length === 0 };
}

/** Seconds until nothing remains at the pace of now; undefined while none is sold, or left. */
export function soldOutIn(status: SaleStatus, { remaining, acceptedPerSecond }: SaleStats): number | undefined {
  return status === 'open' && remaining > 0 && acceptedPerSecond > 0 ? remaining / acceptedPerSecond : undefined;
}

/** What a sale becomes when units are added to it or taken away. */
export interface Resized {
  quantity: number;
  /** Undefined for a sale without units yet. */
  remaining: number | undefined;
  fault: 'nothing' | 'belowOne' | 'tooMany' | 'soldAlready' | undefined;
}

const mostUnits = 100_000_000;

/** Previews a change of the quantity by a difference. Only units that nobody has bought can be taken away. */
export function resized(quantity: number, stats: SaleStats | undefined, delta: number): Resized {
  const next = { quantity: quantity + delta, remaining: stats === undefined ? undefined : stats.remaining + delta };
  return { ...next, fault: faultOf(next, delta) };
}

function faultOf({ quantity, remaining }: Pick<Resized, 'quantity' | 'remaining'>, delta: number): Resized['fault'] {
  if (delta === 0) return 'nothing';
  if (delta < 0 && remaining !== undefined && remaining < 0) return 'soldAlready';
  if (quantity < 1) return 'belowOne';
  return quantity > mostUnits ? 'tooMany' : undefined;
}
