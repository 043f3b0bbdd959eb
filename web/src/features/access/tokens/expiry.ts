const day = 86_400_000;

/** A token that ends within this time is marked, in ms. */
const soonIs = 14 * day;

export type Expiry = 'endless' | 'running' | 'soon' | 'expired';

/** Where a token stands at a time, in ms since 1970. */
export function expiryOf(expiresTime: string | null, now: number): Expiry {
  if (expiresTime === null) return 'endless';
  const left = Date.parse(expiresTime) - now;
  if (left <= 0) return 'expired';
  return left <= soonIs ? 'soon' : 'running';
}
