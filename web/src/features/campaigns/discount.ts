import type { Campaign } from './queries';

export type CampaignKind = Campaign['kind'];

/** The discount of a coupon, in minor units or in percent; null while the input is empty. */
export interface Discount {
  kind: CampaignKind;
  value: number | null;
}

/**
 * Serializes kind and value as one string, such as "amount 500". A value has no meaning without its
 * kind, so they must be merged as one field: the 500 of one user must never be combined with the
 * percent of another.
 */
export function spellDiscount({ kind, value }: Discount): string {
  return `${kind} ${value ?? ''}`;
}

export function discountOf(spelled: string): Discount {
  const [kind, value = ''] = spelled.split(' ');
  return { kind: kind === 'percent' ? 'percent' : 'amount', value: value === '' ? null : Number(value) };
}
