import type { RowValues } from '@/ui';
import type { Item, ItemStatus, NewItem } from '../queries';

/** The form of a bulk edit, which applies to every chosen item. */
export interface EditForm {
  kind: 'price' | 'percent' | 'status' | 'owner';
  price: number | null;
  /** The price change in percent; negative for a reduction. */
  percent: number | null;
  status: ItemStatus;
  owner: string;
}

/** A line of a pasted or uploaded table: an existing item, or a new one. */
export type Line = Item | { sku: string; isNew: true };

/** The item of a line; undefined for a new one. */
export const itemOf = (line: Line): Item | undefined => ('isNew' in line ? undefined : line);

/** The members of an item that bulk edits can change. */
type Fields = Pick<Item, 'name' | 'price' | 'status' | 'ownedByUserId'>;

/** The write of one row, as stored with the run; it also contains its undo. */
export type Change =
  | { op: 'edit'; etag: string; patch: Partial<Fields>; before: Partial<Fields> }
  | { op: 'add'; item: NewItem & Pick<Item, 'status'> }
  | { op: 'delete'; etag: string };

/** Why an item stays unchanged, with the text from the table. */
export type Why = { why: 'same' } | { why: 'incomplete' } | { why: 'sku' } | { why: 'price' | 'owner' | 'name'; text: string };

/** Parsers for the cells of a table. */
export interface Reading {
  money: (text: string) => number | null;
  isOwner: (text: string) => boolean;
}

const skuShape = /^[A-Za-z0-9._-]{1,64}$/;
const maxNameLength = 200;

/** Returns the edit of one item. With a table, `own` contains the price. */
export function editOf(item: Item, form: EditForm, own: RowValues | undefined, reading: Reading): Change | Why {
  switch (form.kind) {
    case 'price': {
      if (own === undefined) return changing(item, { price: form.price ?? item.price });
      const price = reading.money(own.price ?? '');
      return price === null ? { why: 'price', text: own.price ?? '' } : changing(item, { price });
    }
    case 'percent':
      return changing(item, { price: Math.max(0, Math.round((item.price * (100 + (form.percent ?? 0))) / 100)) });
    case 'status':
      return changing(item, { status: form.status });
    case 'owner':
      return changing(item, { ownedByUserId: form.owner.trim() || null });
  }
}

/** Returns the edit for a line of a table. An empty cell changes nothing. */
export function lineOf(line: Line, own: RowValues, reading: Reading): Change | Why {
  const { sku } = line;
  const item = itemOf(line);
  const changed: Partial<Fields> = {};
  if (own.name !== undefined) {
    if (own.name.length > maxNameLength) return { why: 'name', text: own.name };
    changed.name = own.name;
  }
  if (own.price !== undefined) {
    const price = reading.money(own.price);
    if (price === null) return { why: 'price', text: own.price };
    changed.price = price;
  }
  // The service rejects lines with another status.
  if (own.status !== undefined) changed.status = own.status as ItemStatus;
  if (own.ownedByUserId !== undefined) {
    if (!reading.isOwner(own.ownedByUserId)) return { why: 'owner', text: own.ownedByUserId };
    changed.ownedByUserId = own.ownedByUserId;
  }
  if (item !== undefined) return changing(item, changed);
  const { name, price, status = 'active', ownedByUserId = null } = changed;
  if (!skuShape.test(sku)) return { why: 'sku' };
  return name === undefined || price === undefined ? { why: 'incomplete' } : { op: 'add', item: { sku, name, price, status, ownedByUserId } };
}

/** The edit with the members that differ. */
function changing(item: Item, changed: Partial<Fields>): Change | Why {
  const differing = (Object.keys(changed) as (keyof Fields)[]).filter((name) => changed[name] !== item[name]);
  if (differing.length === 0) return { why: 'same' };
  const pick = (from: Partial<Fields>) => Object.fromEntries(differing.map((name) => [name, from[name]])) as Partial<Fields>;
  return { op: 'edit', etag: item.etag, patch: pick(changed), before: pick(item) };
}

/** Returns the change that undoes a change, guarded by the ETag after it. */
export function undoOf(change: Change, etag: string | undefined): Change | undefined {
  if (etag === undefined || change.op === 'delete') return undefined;
  return change.op === 'add' ? { op: 'delete', etag } : { op: 'edit', etag, patch: change.before, before: change.patch };
}

export const isWhy = (planned: Change | Why): planned is Why => 'why' in planned;
