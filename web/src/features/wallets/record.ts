import type { Entry } from './queries';

/** The record of an entry that the service created: its reference is @payments/17 or @refunds/12. */
export function recordOf({ reference }: Pick<Entry, 'reference'>): string | undefined {
  return /^@((?:orders|payments|refunds)\/\d+)(?:\/|$)/.exec(reference)?.[1];
}
