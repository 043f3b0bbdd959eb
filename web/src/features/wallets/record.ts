import type { Entry } from './queries';

/** The record of an entry that the service created: its reference is @orders/41/pay or @refunds/12. */
export function recordOf({ reference }: Pick<Entry, 'reference'>): string | undefined {
  return /^@((?:orders|refunds)\/\d+)(?:\/|$)/.exec(reference)?.[1];
}
