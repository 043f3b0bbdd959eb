import type { Own } from '@/ui';
import type { Item, ItemStatus, NewItem } from '../queries';

/** What is to be done with every chosen item, as it is typed. */
export interface EditForm {
  kind: 'price' | 'percent' | 'status' | 'owner';
  price: number | null;
  /** By how many percent prices go up, or below zero down. */
  percent: number | null;
  status: ItemStatus;
  owner: string;
}

/** An item that a table names: one that there is, or one to be added. */
export type Line = Item | { sku: string; isNew: true };

/** The item that a line is about; undefined for one to be added. */
export const itemOf = (line: Line): Item | undefined => ('isNew' in line ? undefined : line);

/** What of an item is edited in bulk. */
type Fields = Pick<Item, 'name' | 'price' | 'status' | 'ownedByUserId'>;

/** What a row asks of the service, as a run keeps it: also what takes it back. */
export type Change =
  | { op: 'edit'; etag: string; patch: Partial<Fields>; before: Partial<Fields> }
  | { op: 'add'; item: NewItem & Pick<Item, 'status'> }
  | { op: 'delete'; etag: string };

/** Why an item is left as it is; with what of the table is meant. */
export type Why = { why: 'same' } | { why: 'incomplete' } | { why: 'sku' } | { why: 'price' | 'status' | 'owner' | 'name'; text: string };

/** How words of a table are read. */
export interface Reading {
  money: (text: string) => number | null;
  status: (text: string) => ItemStatus | undefined;
  isOwner: (text: string) => boolean;
}

const skuShape = /^[A-Za-z0-9._-]{1,64}$/;
const longestName = 200;

/** What an edit of many items makes of one; of a price that is its own, what the table says. */
export function editOf(item: Item, form: EditForm, own: Own | undefined, reading: Reading): Change | Why {
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

/** What a line of a table asks for: a cell that is empty changes nothing. */
export function lineOf(line: Line, own: Own, reading: Reading): Change | Why {
  const { sku } = line;
  const item = itemOf(line);
  const wanted: Partial<Fields> = {};
  if (own.name !== undefined) {
    if (own.name.length > longestName) return { why: 'name', text: own.name };
    wanted.name = own.name;
  }
  if (own.price !== undefined) {
    const price = reading.money(own.price);
    if (price === null) return { why: 'price', text: own.price };
    wanted.price = price;
  }
  if (own.status !== undefined) {
    const status = reading.status(own.status);
    if (status === undefined) return { why: 'status', text: own.status };
    wanted.status = status;
  }
  if (own.ownedByUserId !== undefined) {
    if (!reading.isOwner(own.ownedByUserId)) return { why: 'owner', text: own.ownedByUserId };
    wanted.ownedByUserId = own.ownedByUserId;
  }
  if (item !== undefined) return changing(item, wanted);
  const { name, price, status = 'active', ownedByUserId = null } = wanted;
  if (!skuShape.test(sku)) return { why: 'sku' };
  return name === undefined || price === undefined ? { why: 'incomplete' } : { op: 'add', item: { sku, name, price, status, ownedByUserId } };
}

/** The edit that gives an item what it does not have yet. */
function changing(item: Item, wanted: Partial<Fields>): Change | Why {
  const differing = (Object.keys(wanted) as (keyof Fields)[]).filter((name) => wanted[name] !== item[name]);
  if (differing.length === 0) return { why: 'same' };
  const pick = (from: Partial<Fields>) => Object.fromEntries(differing.map((name) => [name, from[name]])) as Partial<Fields>;
  return { op: 'edit', etag: item.etag, patch: pick(wanted), before: pick(item) };
}

/** What takes a change back, with the tag that it left the item with. */
export function undoOf(change: Change, etag: string | undefined): Change | undefined {
  if (etag === undefined || change.op === 'delete') return undefined;
  return change.op === 'add' ? { op: 'delete', etag } : { op: 'edit', etag, patch: change.before, before: change.patch };
}

export const isWhy = (planned: Change | Why): planned is Why => 'why' in planned;
