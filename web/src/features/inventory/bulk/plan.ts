import type { Own } from '@/ui';
import type { Adjustment, Stock } from '../queries';

/** What is to be done with the stock of every item, as it is typed. */
export interface StockForm {
  way: 'delta' | 'count';
  delta: number | null;
  setTo: number | null;
  reason: string;
  /** Names the adjustment among the movements of each item: brought in again, it is made once. */
  reference: string;
}

/** Why a stock is left as it is; with what of the table is meant. */
export type Why = { why: 'same' | 'zero' } | { why: 'number' | 'reference'; text: string };

const whole = /^[+-]?\d{1,12}$/;

/** What has to be filled in before anything can be sent. */
export function isMissing({ way, delta, setTo, reason, reference }: StockForm, hasOwn: boolean): boolean {
  if (reason.trim() === '' || !isReference(reference)) return true;
  return !hasOwn && (way === 'delta' ? delta === null || delta === 0 : setTo === null);
}

const isReference = (text: string) => text.trim() !== '' && !text.trim().startsWith('@');

/** The adjustment of one stock: what its line says, and otherwise what is the same for all. */
export function adjustmentOf(stock: Stock, form: StockForm, own: Own = {}): Adjustment | Why {
  const typed = form.way === 'delta' ? own.delta : own.setTo;
  if (typed !== undefined && !whole.test(typed)) return { why: 'number', text: typed };
  if (own.reference !== undefined && !isReference(own.reference)) return { why: 'reference', text: own.reference };
  const about = { reason: (own.reason ?? form.reason).trim(), reference: (own.reference ?? form.reference).trim() };
  if (form.way === 'delta') {
    const delta = typed === undefined ? (form.delta ?? 0) : Number(typed);
    return delta === 0 ? { why: 'zero' } : { delta, ...about };
  }
  const setTo = typed === undefined ? (form.setTo ?? 0) : Number(typed);
  if (setTo < 0) return { why: 'number', text: typed ?? String(setTo) };
  return setTo === stock.onHand ? { why: 'same' } : { setTo, changeFrom: stock.onHand, ...about };
}

/** By how many pieces an adjustment changes what is in the house. */
export const changeOf = ({ delta, setTo = 0, changeFrom = 0 }: Adjustment): number => delta ?? setTo - changeFrom;

export const isWhy = (planned: Adjustment | Why): planned is Why => 'why' in planned;
