import { randomId } from '@/browser/id';
import type { Adjustment, Movement, Stock } from './queries';

/** What is typed into the dialog that adjusts stock. */
export interface AdjustmentForm {
  way: 'delta' | 'count';
  delta: number | null;
  setTo: number | null;
  /** How many were in the house when the count began; only counting again moves it. */
  changeFrom: number;
  reason: string;
  /** Names the adjustment: sent twice, it is made once. */
  reference: string;
}

export const newReference = (): string => `adj-${randomId().slice(0, 12)}`;

export const openForm = (stock: Stock): AdjustmentForm => ({
  way: 'delta',
  delta: null,
  setTo: null,
  changeFrom: stock.onHand,
  reason: '',
  reference: newReference(),
});

/** What was typed on an earlier visit, counted from what is there now. */
export const countedFrom =
  (stock: Stock) =>
  (typed: AdjustmentForm): AdjustmentForm => ({ ...typed, changeFrom: stock.onHand });

export type Missing = 'delta' | 'setTo' | 'reason' | 'reference';

/** Whether a place of the request has an input in the form as it is. */
export const hasInput = ({ way }: AdjustmentForm, pointer: string): boolean =>
  pointer === '/reason' || pointer === '/reference' || pointer === (way === 'delta' ? '/delta' : '/setTo');

/** What has to be filled in or mended before it can be sent. */
export function missingOf({ way, delta, setTo, reason, reference }: AdjustmentForm): ReadonlySet<Missing> {
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

/** The movement that takes another back: what became of the stock meanwhile stays. Of one movement it is made once. */
export const takingBack = ({ id, onHandDelta }: Pick<Movement, 'id' | 'onHandDelta'>, reason: string): Adjustment => ({
  delta: -onHandDelta,
  reason,
  reference: `undo-${id}`,
});

/** What the stock would be; undefined while nothing is typed, and for a count that is out of date. */
export function preview({ way, delta, setTo, changeFrom }: AdjustmentForm, stock: Stock): { onHand: number; available: number } | undefined {
  if (way === 'count' && changeFrom !== stock.onHand) return undefined;
  const change = way === 'delta' ? delta : setTo === null ? null : setTo - changeFrom;
  if (change === null) return undefined;
  return { onHand: stock.onHand + change, available: stock.available + change };
}
