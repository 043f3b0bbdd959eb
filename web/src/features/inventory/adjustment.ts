import { randomId } from '@/browser/id';
import type { Adjustment, Movement, Stock } from './queries';

/** The form of an adjustment, for one item or several. */
export interface StockForm {
  way: 'delta' | 'count';
  delta: number | null;
  setTo: number | null;
  reason: string;
  /** Identifies the adjustment among the movements of an item, so that it is applied once even if it is sent twice. */
  reference: string;
}

/** The form for one item. */
export interface AdjustmentForm extends StockForm {
  /** The quantity at the start of the count; only a new count changes it. */
  changeFrom: number;
}

export const newReference = (): string => `adj-${randomId().slice(0, 12)}`;

export const openForm = (): StockForm => ({ way: 'delta', delta: null, setTo: null, reason: '', reference: newReference() });

/** Restores a draft. A count with a number retains its starting quantity; a count without a number starts from the current quantity. */
export const countedFrom =
  (stock: Stock) =>
  (typed: AdjustmentForm): AdjustmentForm =>
    typed.setTo === null ? { ...typed, changeFrom: stock.onHand } : typed;

export type Missing = 'delta' | 'setTo' | 'reason' | 'reference';

/** Whether a pointer of the request has an input in the current form. */
export const hasInput = ({ way }: AdjustmentForm, pointer: string): boolean =>
  pointer === '/reason' || pointer === '/reference' || pointer === (way === 'delta' ? '/delta' : '/setTo');

/** The inputs that are missing or invalid. */
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

/** The change of the quantity on hand. */
export const changeOf = ({ delta, setTo, changeFrom }: Adjustment): number => delta ?? (setTo ?? 0) - (changeFrom ?? 0);

/**
 * Returns the adjustment that reverses a movement and no later ones. Its reference is derived from
 * the movement, so it is applied at most once.
 */
export const takingBack = ({ id, onHandDelta }: Pick<Movement, 'id' | 'onHandDelta'>, reason: string): Adjustment => ({
  delta: -onHandDelta,
  reason,
  reference: `undo-${id}`,
});

/** The stock after the adjustment; undefined while the form is incomplete, and for an outdated count. */
export function preview(form: AdjustmentForm, stock: Stock): { onHand: number; available: number } | undefined {
  if (form.way === 'count' && form.changeFrom !== stock.onHand) return undefined;
  if ((form.way === 'delta' ? form.delta : form.setTo) === null) return undefined;
  const change = changeOf(requestOf(form));
  return { onHand: stock.onHand + change, available: stock.available + change };
}
