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

type Readers = Readonly<Record<string, (value: unknown) => unknown>>;
type Filters<R extends Readers> = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> };

/**
 * Returns the validateSearch of a list's route: reads what is in an address and
 * leaves out what makes no sense, so that no address breaks a page.
 *
 *     validateSearch: tableSearch({ status: oneOf('pending', 'paid'), campaignId: anInteger })
 */
export function tableSearch<const R extends Readers>(filters: R): (raw: Record<string, unknown>) => TableSearch & Filters<R> {
  const readers: Readers = { q: aText, sort: aText, cursor: aText, limit: aPageSize, ...filters };
  return (raw) => {
    const read = Object.entries(readers).map(([name, reader]) => [name, reader(raw[name])] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as TableSearch & Filters<R>;
  };
}

/** Text; what looks like a number in an address was typed as text all the same. */
export function aText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function anInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

export function oneOf<const T extends readonly string[]>(...allowed: T): (value: unknown) => T[number] | undefined {
  return (value) => allowed.find((one) => one === value);
}

function aPageSize(value: unknown): number | undefined {
  const limit = anInteger(value);
  return pageSizes.find((size) => size === limit);
}

/** What in the address does not filter. */
const unfiltered = new Set(['sort', 'cursor', 'limit']);

/** The filters in force, without order and page. */
export function filtersOf<S extends TableSearch>(search: S): Omit<S, 'sort' | 'cursor' | 'limit'> {
  const filters = Object.entries(search).filter(([name, value]) => !unfiltered.has(name) && value !== undefined);
  return Object.fromEntries(filters) as Omit<S, 'sort' | 'cursor' | 'limit'>;
}
