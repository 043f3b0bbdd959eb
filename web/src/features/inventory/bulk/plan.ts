import type { RowValues } from '@/ui';
import { changeOf, missingOf, requestOf, type AdjustmentForm, type StockForm } from '../adjustment';
import type { Adjustment, Stock } from '../queries';

/** Why a stock stays unchanged, with the text from the table. */
export type Why = { why: 'same' | 'zero' } | { why: 'number' | 'reference'; text: string };

const whole = /^[+-]?\d{1,12}$/;

/** Whether an input is missing. With a table, its lines contain the numbers. */
export function isMissing(form: StockForm, hasRowValues: boolean): boolean {
  return [...missingOf(form)].some((name) => !hasRowValues || (name !== 'delta' && name !== 'setTo'));
}

/** Returns the adjustment of one stock, or why it has none. A value that is not in the stock's line of the table comes from the form. */
export function adjustmentOf(stock: Stock, form: StockForm, own: RowValues = {}): Adjustment | Why {
  const number = form.way === 'delta' ? 'delta' : 'setTo';
  const typed = own[number];
  const pieces = typed === undefined ? (form[number] ?? 0) : Number(typed);
  const isWhole = typed === undefined || whole.test(typed);
  if (!isWhole || (number === 'setTo' && pieces < 0)) return { why: 'number', text: typed ?? String(pieces) };
  const one: AdjustmentForm = {
    ...form,
    [number]: pieces,
    changeFrom: stock.onHand,
    reason: own.reason ?? form.reason,
    reference: own.reference ?? form.reference,
  };
  if (own.reference !== undefined && missingOf(one).has('reference')) return { why: 'reference', text: own.reference };
  const request = requestOf(one);
  if (changeOf(request) !== 0) return request;
  return { why: number === 'delta' ? 'zero' : 'same' };
}

export const isWhy = (planned: Adjustment | Why): planned is Why => 'why' in planned;
