import { randomId } from '@/browser/id';
import type { Adjustment, Movement, Stock } from './queries';

/** What is typed to adjust stock, of one item or of many. */
export interface StockForm {
  way: 'delta' | 'count';
  delta: number | null;
  setTo: number | null;
  reason: string;
  /** Names the adjustment among the movements of an item: sent twice, it is made once. */
  reference: string;
}

/** The adjustment of one item. */
export interface AdjustmentForm extends StockForm {
  /** How many were in stock when the count began; only counting again moves it. */
  changeFrom: number;
}

export const newReference = (): string => `adj-${randomId().slice(0, 12)}`;

export const openForm = (): StockForm => ({ way: 'delta', delta: null, setTo: null, reason: '', reference: newReference() });

/** What was typed on an earlier visit: a count stands on what was there when it was made, and one that is yet to be made on what is there now. */
export const countedFrom =
  (stock: Stock) =>
  (typed: AdjustmentForm): AdjustmentForm =>
    typed.setTo === null ? { ...typed, changeFrom: stock.onHand } : typed;

export type Missing = 'delta' | 'setTo' | 'reason' | 'reference';

/** Whether a place of the request has an input in the form as it is. */
export const hasInput = ({ way }: AdjustmentForm, pointer: string): boolean =>
  pointer === '/reason' || pointer === '/reference' || pointer === (way === 'delta' ? '/delta' : '/setTo');

/** What has to be filled in or mended before it can be sent. */
export function missingOf({ way, delta, setTo, reason, reference }: StockForm): ReadonlySet<Missing> {
  const missing = new Set<Missing>();
  if (way === 'delta' && (delta === null || delta === 0)) missing.add('delta');
  if (way === 'count' && setTo === null) missing.add('setTo');
  if (reason.trim() === '') missing.add('reason');
  if (reference.trim() === '' || reference.trim().startsWith('@')) missing.add('reference');
  return missing;
}

export function requestOf({ way, delta, setTo, changeFrom, reason, reference }: AdjustmentForm): Adjustment {
  const common = { reason: reason.trim(), reference: reference.trim() };
  return way === 'delta' ? { delta: delta ?? 0, ...common } : { setTo: setTo ?? 0, changeFrom, ...common };
}

/** By how many pieces an adjustment changes what is in stock. */
export const changeOf = ({ delta, setTo = 0, changeFrom = 0 }: Adjustment): number => delta ?? setTo - changeFrom;

/** The movement that takes another back: what became of the stock meanwhile stays. Of one movement it is made once. */
export const takingBack = ({ id, onHandDelta }: Pick<Movement, 'id' | 'onHandDelta'>, reason: string): Adjustment => ({
  delta: -onHandDelta,
  reason,
  reference: `undo-${id}`,
});

/** What the stock would be; undefined while nothing is typed, and for a count that is out of date. */
export function preview(form: AdjustmentForm, stock: Stock): { onHand: number; available: number } | undefined {
  if (form.way === 'count' && form.changeFrom !== stock.onHand) return undefined;
  if ((form.way === 'delta' ? form.delta : form.setTo) === null) return undefined;
  const change = changeOf(requestOf(form));
  return { onHand: stock.onHand + change, available: stock.available + change };
}
