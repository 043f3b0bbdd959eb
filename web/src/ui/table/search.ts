import { stringifySearchWith } from '@tanstack/react-router';
import { isCustomerId } from '@/api';
import { timeStyle } from '@/i18n';

/** The search parameters of a list in the URL. */
export interface TableSearch {
  /** Search words. */
  q?: string;
  /** A field, or `-field` for descending. */
  sort?: string;
  /** The cursor of the page; absent for the first page. */
  cursor?: string;
  /** Rows per page. */
  limit?: number;
}

export const pageSizes = [25, 50, 100, 200] as const;
export const defaultPageSize = 50;

/** A search parameter with an invalid value. It stays in the URL unchanged and is reported; it is never treated as absent. */
export interface Unreadable {
  unreadable: string;
}

export const isUnreadable = (value: unknown): value is Unreadable => typeof value === 'object' && value !== null && 'unreadable' in value;

/** Serializes search parameters; unreadable values stay unchanged. */
export const stringifySearch = stringifySearchWith((value: unknown) => (isUnreadable(value) ? value.unreadable : JSON.stringify(value)), inNeedOfQuotes);

/**
 * Decides for stringifySearchWith which texts are quoted: those that this function parses. It
 * throws for a number, which is not quoted, because the readers accept numbers as text.
 */
function inNeedOfQuotes(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new SyntaxError('a number needs no quotes');
  return value;
}

/** The search parameters of an address, some of which may be unreadable. */
export type Raw<S> = { [K in keyof S]: S[K] | Unreadable };

/** Reads a search parameter; undefined if it is absent. */
export type Reader<T> = (value: unknown) => T | Unreadable | undefined;
type Readers = Readonly<Record<string, Reader<unknown>>>;
type Read<R extends Readers> = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> };

/**
 * Returns the validateSearch of a list's route.
 *
 *   validateSearch: tableSearch({ status: oneOf('pending', 'paid'), campaignId: anInteger })
 */
export function tableSearch<const R extends Readers>(filters: R): (raw: Record<string, unknown>) => Raw<TableSearch> & Read<R> {
  const readers: Readers = { q: aText, sort: aText, cursor: aText, limit: aPageSize, ...filters };
  return (raw) => {
    const read = Object.entries(readers).map(([name, reader]) => [name, isUnreadable(raw[name]) ? raw[name] : reader(raw[name])] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Raw<TableSearch> & Read<R>;
  };
}

const spelled = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Makes a reader from a function that returns undefined for unreadable values. */
const reader =
  <T>(read: (text: string) => T | undefined): Reader<T> =>
  (value) => {
    if (value === undefined || value === null || value === '') return undefined;
    return read(spelled(value)) ?? { unreadable: spelled(value) };
  };

/** Text. A number in the URL is also accepted as text. */
export const aText = reader((text) => text) as (value: unknown) => string | undefined;

const anInteger = reader((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined));

export const aCount = reader((text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));

/** A customer id of the shop. */
export const aCustomer = reader((text) => (isCustomerId(text) ? text : undefined));

/** The id of a row. */
export const anId = reader((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined));

export const oneOf = <const T extends readonly string[]>(...allowed: T): Reader<T[number]> => reader((text) => allowed.find((one) => one === text));

/** True, false, or absent for both. */
export const aBoolean = reader((text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** True, or absent. */
export const aFlag = reader((text) => (text === 'true' ? true : undefined));

/** The HTTP status of a reply. */
export const aStatus = reader((text) => (/^[1-5]\d\d$/.test(text) ? Number(text) : undefined));

/** A day, as an input of type date returns it. */
export const aDay = reader((text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined));

/** Returns the start of a day in the displayed zone, or of the day `later` days after that day. */
export function startOf(day: string | undefined, later = 0): string | undefined {
  if (day === undefined) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return (timeStyle() === 'utc' ? new Date(Date.UTC(year, month - 1, date + later)) : new Date(year, month - 1, date + later)).toISOString();
}

/** A search with its first and last day, inclusive, as times. */
export const inTimes = <S extends { from?: string; to?: string }>(search: S) => ({ ...search, from: startOf(search.from), to: startOf(search.to, 1) });

/** Other page sizes fall back to the default instead of an error. */
function aPageSize(value: unknown): number | undefined {
  const limit = anInteger(value);
  return pageSizes.find((size) => size === limit);
}

/**
 * The search parameters for panels and tabs of the page. They stay when a list's filters are
 * cleared, and are not sent to the service.
 */
export const viewMembers = ['tab', 'range', 'open', 'event', 'ticket', 'create'];
/** The search parameters that are not filters. */
const unfiltered = new Set(['sort', 'cursor', 'limit', ...viewMembers]);

/** The active filters, without order and page. */
export function filtersOf<S extends Raw<TableSearch>>(search: S): Partial<S> {
  return Object.fromEntries(Object.entries(search).filter(([name, value]: [string, unknown]) => !unfiltered.has(name) && value !== undefined)) as Partial<S>;
}

/** The readable part of the search parameters. */
export function readable<S>(search: Raw<S>): S {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => !isUnreadable(value))) as unknown as S;
}

/** The unreadable search parameters, by name. */
export function unreadableIn(search: object): { name: string; text: string }[] {
  return Object.entries(search).flatMap(([name, value]: [string, unknown]) => (isUnreadable(value) ? [{ name, text: value.unreadable }] : []));
}
