import type { Sale, SaleStats } from './queries';

/** What of a sale somebody should look at now, the worst first. */
export type Alert = 'lost' | 'stuck' | 'full';

/** How long a ticket may wait in a queue that is emptied as fast as it goes, in seconds. */
export const patience = 30;

/** Says what is wrong by the numbers alone; that they do not add up is told where they are. */
export function alertsOf({ rate }: Pick<Sale, 'rate'>, { lost, queued, oldestQueuedSeconds, refusedPerSecond }: SaleStats): Alert[] {
  // A queue that is emptied at a rate is as long as that makes it.
  const expected = rate === null ? 0 : queued / rate;
  const alerts: Alert[] = [];
  if (lost > 0) alerts.push('lost');
  if (oldestQueuedSeconds > patience + 2 * expected) alerts.push('stuck');
  if (refusedPerSecond.queueFull > 0) alerts.push('full');
  return alerts;
}
