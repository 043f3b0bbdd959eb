const day = 86_400_000;

/** Tokens that expire within this time are highlighted, in ms. */
const soonIs = 14 * day;

export type Expiry = 'endless' | 'running' | 'soon' | 'expired';

/** The expiry state of a token at a time in ms since 1970. */
export function expiryOf(expiresTime: string | null, now: number): Expiry {
  if (expiresTime === null) return 'endless';
  const left = Date.parse(expiresTime) - now;
  if (left <= 0) return 'expired';
  return left <= soonIs ? 'soon' : 'running';
}
