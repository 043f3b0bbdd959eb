import { isCustomerId, isProblem } from '@/api';
import { randomId } from '@/browser/id';
import { addressFields, contentOf, metadataOf, readFields, type OrderFields } from '../edit/fields';
import type { NewOrder } from '../queries';

/** The form of a new order. */
export interface Placement extends OrderFields {
  userId: string;
  lines: PlacementLine[];
  couponCode: string;
  /** Null while the input is invalid. */
  shipping: number | null;
  /** Null while the input is invalid. */
  tax: number | null;
  paymentTerms: NewOrder['paymentTerms'];
  externalId: string;
}

export interface PlacementLine {
  /** The React key of the line. */
  id: string;
  sku: string;
  quantity: string;
}

/** Mistakes by pointer in the request: "/userId", "/items/0/sku". */
export type Mistakes = Readonly<Partial<Record<string, Mistake>>>;
export type Mistake =
  | { kind: 'needed' | 'noId' | 'noSku' | 'noQuantity' | 'noAmount' | 'noMetadata' | 'twice' | 'notSold' }
  | { kind: 'short'; wanted: number; available: number }
  | { kind: 'said'; code: string; message: string };

export const maxLines = 100;
const maxUnits = 10_000;
const skuShape = /^[A-Za-z0-9._-]{1,64}$/;

export const emptyLine = (): PlacementLine => ({ id: randomId(), sku: '', quantity: '1' });

const noFacts = readFields({ email: null, note: '', tags: [], metadata: {}, shippingAddress: null, billingAddress: null });
const nothing: Placement = { ...noFacts, userId: '', lines: [], couponCode: '', shipping: 0, tax: 0, paymentTerms: 'prepaid', externalId: '' };

export const openPlacement = (): Placement => ({ ...nothing, lines: [emptyLine()] });

/** The fields that the short form omits. */
export const moreFields = ['shipping', 'tax', 'paymentTerms', 'externalId', 'email', 'note', 'tags', 'metadata', ...addressFields] as const;

/** Whether a field that the short form omits has input. */
export const hasMore = (form: Placement): boolean => moreFields.some((name) => form[name] !== nothing[name]);

export const isSku = (text: string): boolean => skuShape.test(text);

/** The quantity of a line; undefined if it is invalid. */
export function piecesOf({ quantity }: PlacementLine): number | undefined {
  const pieces = /^\d{1,5}$/.test(quantity.trim()) ? Number(quantity) : 0;
  return pieces >= 1 && pieces <= maxUnits ? pieces : undefined;
}

/** Returns the validation errors that the browser finds without the service. */
export function mistakesOf({ userId, lines, metadata, ...form }: Placement): Mistakes {
  const found: Record<string, Mistake> = {};
  for (const name of ['shipping', 'tax'] as const) if (form[name] === null) found[`/${name}`] = { kind: 'noAmount' };
  if (metadataOf(metadata) === undefined) found['/metadata'] = { kind: 'noMetadata' };
  if (userId.trim() === '') found['/userId'] = { kind: 'needed' };
  else if (!isCustomerId(userId.trim())) found['/userId'] = { kind: 'noId' };
  lines.forEach((line, i) => {
    const sku = line.sku.trim();
    if (sku === '') found[`/items/${i}/sku`] = { kind: 'needed' };
    else if (!isSku(sku)) found[`/items/${i}/sku`] = { kind: 'noSku' };
    else if (lines.findIndex((other) => other.sku.trim() === sku) < i) found[`/items/${i}/sku`] = { kind: 'twice' };
    if (piecesOf(line) === undefined) found[`/items/${i}/quantity`] = { kind: 'noQuantity' };
  });
  return found;
}

/** The request body, without members that are empty. */
export function requestOf(form: Placement): NewOrder {
  const { userId, lines, couponCode, shipping, tax, paymentTerms, externalId } = form;
  const items = lines.map((line) => ({ sku: line.sku.trim(), quantity: piecesOf(line) ?? 0 }));
  const facts = contentOf(form);
  const members = {
    ...(facts instanceof Error ? {} : facts),
    couponCode: couponCode.trim(),
    externalId: externalId.trim(),
    shipping,
    tax,
    paymentTerms: paymentTerms === nothing.paymentTerms ? '' : paymentTerms,
  };
  const given = Object.entries(members).filter(([, value]) => isGiven(value));
  return { userId: userId.trim(), items, ...(Object.fromEntries(given) as Partial<NewOrder>) };
}

const isGiven = (value: unknown): boolean => (typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value));

interface OutOfStock {
  lines: { sku: string; wanted: number; available: number }[];
}

/** The mistakes of a rejection, by line; empty if it concerns no line. */
export function rejectedAt(error: unknown, { lines }: Placement): Mistakes {
  if (!isProblem(error)) return {};
  if (isProblem(error, 'insufficient_stock')) {
    const short = error.as<OutOfStock>().lines.map(({ sku, wanted, available }) => {
      const at = lines.findIndex((line) => line.sku.trim() === sku);
      return [`/items/${at}/quantity`, { kind: 'short', wanted, available }] as const;
    });
    return Object.fromEntries(short);
  }
  return Object.fromEntries(error.fields.map(({ pointer, code, message }) => [placeOf(pointer), known[code] ?? { kind: 'said', code, message }]));
}

/** The rules of the service that have a text in this catalogue. For other rules the message of the service is displayed. */
const known: Readonly<Partial<Record<string, Mistake>>> = { not_for_sale: { kind: 'notSold' }, unique: { kind: 'twice' } };

/** Returns the JSON Pointer of the input that displays an error. An error of a complete line is displayed at the SKU. */
export const placeOf = (pointer: string): string => (/^\/items\/\d+$/.test(pointer) ? `${pointer}/sku` : pointer);

/** Whether a mistake can be displayed at an input. */
export const hasInputAt = (pointer: string, lines: number): boolean => {
  const [, line] = /^\/items\/(\d+)\/(?:sku|quantity)$/.exec(pointer) ?? [];
  if (line !== undefined) return Number(line) < lines;
  return ['/userId', '/couponCode', ...moreFields.map((name) => `/${name}`)].includes(pointer);
};
