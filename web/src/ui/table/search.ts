import { stringifySearchWith } from '@tanstack/react-router';
import { isCustomerId } from '@/api';
import { timeStyle } from '@/i18n';

/** How a list is asked for; it lives in the address. */
export interface TableSearch {
  /** Words to look for. */
  q?: string;
  /** A field, or `-field` for descending. */
  sort?: string;
  /** Where the page begins; absent for the first. */
  cursor?: string;
  /** Rows a page. */
  limit?: number;
}

export const pageSizes = [25, 50, 100, 200] as const;
export const defaultPageSize = 50;

/** What stands in an address and cannot be read. It stays there as it is, is told, and is never taken for nothing. */
export interface Unreadable {
  unreadable: string;
}

export const isUnreadable = (value: unknown): value is Unreadable => typeof value === 'object' && value !== null && 'unreadable' in value;

/** Writes an address; what cannot be read stays in it as it was. */
export const stringifySearch = stringifySearchWith((value: unknown) => (isUnreadable(value) ? value.unreadable : JSON.stringify(value)), inNeedOfQuotes);

/** Throws for text that stands in an address as it is: a number is read as it is written, whatever it is for. */
function inNeedOfQuotes(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new SyntaxError('a number needs no quotes');
  return value;
}

/** What an address says, some of which may be unreadable. */
export type Raw<S> = { [K in keyof S]: S[K] | Unreadable };

/** Reads a member of an address; undefined for one that is not there. */
export type Reader<T> = (value: unknown) => T | Unreadable | undefined;
type Readers = Readonly<Record<string, Reader<unknown>>>;
type Read<R extends Readers> = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> };

/**
 * Returns the validateSearch of a list's route.
 *
 *     validateSearch: tableSearch({ status: oneOf('pending', 'paid'), campaignId: anInteger })
 */
export function tableSearch<const R extends Readers>(filters: R): (raw: Record<string, unknown>) => Raw<TableSearch> & Read<R> {
  const readers: Readers = { q: aText, sort: aText, cursor: aText, limit: aPageSize, ...filters };
  return (raw) => {
    const read = Object.entries(readers).map(([name, reader]) => [name, isUnreadable(raw[name]) ? raw[name] : reader(raw[name])] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Raw<TableSearch> & Read<R>;
  };
}

const spelled = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Reads what is there with a function that returns undefined for what it cannot read. */
const reader =
  <T>(read: (text: string) => T | undefined): Reader<T> =>
  (value) => {
    if (value === undefined || value === null || value === '') return undefined;
    return read(spelled(value)) ?? { unreadable: spelled(value) };
  };

/** Text; what looks like a number in an address was typed as text all the same. */
export const aText = reader((text) => text) as (value: unknown) => string | undefined;

const anInteger = reader((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined));

export const aCount = reader((text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));

/** What the shop calls a user. */
export const aCustomer = reader((text) => (isCustomerId(text) ? text : undefined));

/** The number of a row. */
export const anId = reader((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined));

export const oneOf = <const T extends readonly string[]>(...allowed: T): Reader<T[number]> => reader((text) => allowed.find((one) => one === text));

/** Something that is so, or is not; absent where it does not matter. */
export const aBoolean = reader((text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** Something that is on, or not in the address. */
export const aFlag = reader((text) => (text === 'true' ? true : undefined));

/** The HTTP status of a reply. */
export const aStatus = reader((text) => (/^[1-5]\d\d$/.test(text) ? Number(text) : undefined));

/** A day as an input of type date gives it. */
export const aDay = reader((text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined));

/** The moment a day begins in the zone that times are shown in, some days later when asked. */
export function startOf(day: string | undefined, later = 0): string | undefined {
  if (day === undefined) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return (timeStyle() === 'utc' ? new Date(Date.UTC(year, month - 1, date + later)) : new Date(year, month - 1, date + later)).toISOString();
}

/** Other sizes are no mistake of whoever follows the address. */
function aPageSize(value: unknown): number | undefined {
  const limit = anInteger(value);
  return pageSizes.find((size) => size === limit);
}

/** What in the address says what else is open on the page: it is kept when a list is cleared, and not asked of the service. */
export const viewMembers = ['tab', 'range', 'open', 'event', 'ticket', 'create'];
/** What in the address does not filter. */
const unfiltered = new Set(['sort', 'cursor', 'limit', ...viewMembers]);

/** The filters in force, without order and page. */
export function filtersOf<S extends Raw<TableSearch>>(search: S): Partial<S> {
  return Object.fromEntries(Object.entries(search).filter(([name, value]: [string, unknown]) => !unfiltered.has(name) && value !== undefined)) as Partial<S>;
}

/** What of an address can be read. */
export function readable<S>(search: Raw<S>): S {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => !isUnreadable(value))) as unknown as S;
}

/** The members of an address that cannot be read, by name. */
export function unreadableIn(search: object): { name: string; text: string }[] {
  return Object.entries(search).flatMap(([name, value]: [string, unknown]) => (isUnreadable(value) ? [{ name, text: value.unreadable }] : []));
}
