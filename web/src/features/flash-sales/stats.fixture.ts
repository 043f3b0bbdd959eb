import type { SaleStats } from './queries';

const refused = { soldOut: 0, limitReached: 0, saleNotOpen: 0, queueFull: 0 };

/** The numbers of a sale with a hundred unsold units, with the changes of a test. */
export const statsOf = (change: Partial<SaleStats> = {}): SaleStats => ({
  allotted: 100,
  remaining: 100,
  queued: 0,
  processing: 0,
  dead: 0,
  confirmed: 0,
  rejected: 0,
  returned: 0,
  balanced: true,
  oldestQueuedSeconds: 0,
  acceptedPerSecond: 0,
  confirmedPerSecond: 0,
  arrivalsPerSecond: 0,
  refusedPerSecond: refused,
  refusals: refused,
  lost: 0,
  ...change,
});

/** The numbers of a running sale with queued and dead tickets; they add up. */
export const selling = (change: Partial<SaleStats> = {}): SaleStats =>
  statsOf({
    allotted: 10_000,
    remaining: 1942,
    queued: 3118,
    processing: 200,
    dead: 2,
    confirmed: 4738,
    rejected: 212,
    returned: 31,
    oldestQueuedSeconds: 3.9,
    acceptedPerSecond: 971,
    confirmedPerSecond: 800,
    ...change,
  });
