import type { Sale, SaleStats } from './queries';

/** The warnings about a sale, the most severe first. */
export type Alert = 'lost' | 'stuck' | 'full';

/** The maximum queueing time of a ticket if the queue is not throttled, in seconds. */
export const patience = 30;

/** The warnings that can be derived from the numbers. The strip warns if the numbers do not add up. */
export function alertsOf({ rate }: Pick<Sale, 'rate'>, { lost, queued, oldestQueuedSeconds, refusedPerSecond }: SaleStats): Alert[] {
  // With a limited rate, the queue is expected to last this long, in seconds.
  const expected = rate === null ? 0 : queued / rate;
  const alerts: Alert[] = [];
  if (lost > 0) alerts.push('lost');
  if (oldestQueuedSeconds > patience + 2 * expected) alerts.push('stuck');
  if (refusedPerSecond.queueFull > 0) alerts.push('full');
  return alerts;
}
