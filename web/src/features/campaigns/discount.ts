import type { Campaign } from './queries';

export type CampaignKind = Campaign['kind'];

/** What a coupon takes off; its value is in minor units or in percent, null while none is typed. */
export interface Discount {
  kind: CampaignKind;
  value: number | null;
}

/**
 * Spells kind and value as one: "amount 500". A value means nothing without its kind,
 * so that a form has to merge and to ask for both together; one admin's 500 must
 * never meet another's percent.
 */
export function spellDiscount({ kind, value }: Discount): string {
  return `${kind} ${value ?? ''}`;
}

export function discountOf(spelled: string): Discount {
  const [kind, value = ''] = spelled.split(' ');
  return { kind: kind === 'percent' ? 'percent' : 'amount', value: value === '' ? null : Number(value) };
}
