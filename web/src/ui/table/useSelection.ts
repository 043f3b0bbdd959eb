import { useState } from 'react';
import { filtersOf, type Raw, type TableSearch } from './search';

/**
 * The chosen rows of a list. Rows stay chosen when the page is turned. `all` means
 * every row that matches the filters, those that are not shown included, except those
 * that were unticked.
 */
export interface Selection<Row> {
  /** The chosen rows that have been seen; with `all`, those are not all. */
  rows: readonly Row[];
  all: boolean;
  /** Ids of rows that `all` leaves out. */
  except: ReadonlySet<string>;
  has: (id: string) => boolean;
  toggle: (row: Row) => void;
  /** Ticks or unticks several at once: a page, or a range. */
  setMany: (rows: readonly Row[], chosen: boolean) => void;
  chooseAll: () => void;
  clear: () => void;
  /** Keeps only these chosen: the rows whose verdict was a failure. */
  keep: (ids: ReadonlySet<string>) => void;
  /** How many, given how many match in all. */
  count: (total: number) => number;
}

interface Chosen<Row> {
  /** What the rows were chosen under: other filters, other rows. */
  scope: string;
  all: boolean;
  rows: ReadonlyMap<string, Row>;
  except: ReadonlySet<string>;
}

/**
 * A choice of all belongs to the filters that it was made under and is dropped with
 * them; single rows stay.
 */
export function useSelection<Row>(rowId: (row: Row) => string, search: Raw<TableSearch>): Selection<Row> {
  const scope = JSON.stringify(filtersOf(search));
  const [kept, setChosen] = useState<Chosen<Row>>(() => nothing(scope));
  const chosen = kept.all && kept.scope !== scope ? nothing<Row>(scope) : kept;

  const setMany = (rows: readonly Row[], on: boolean) =>
    setChosen(() => {
      const next = new Map(chosen.rows);
      const except = new Set(chosen.except);
      for (const row of rows) {
        const id = rowId(row);
        if (on) next.set(id, row);
        else next.delete(id);
        if (chosen.all && !on) except.add(id);
        else except.delete(id);
      }
      return { ...chosen, rows: next, except };
    });
  const has = (id: string) => (chosen.all ? !chosen.except.has(id) : chosen.rows.has(id));
  return {
    rows: [...chosen.rows.values()],
    all: chosen.all,
    except: chosen.except,
    has,
    toggle: (row) => setMany([row], !has(rowId(row))),
    setMany,
    chooseAll: () => setChosen({ ...chosen, scope, all: true, except: new Set() }),
    clear: () => setChosen(nothing(scope)),
    keep: (ids) => setChosen({ ...nothing<Row>(scope), rows: new Map([...chosen.rows].filter(([id]) => ids.has(id))) }),
    count: (total) => (chosen.all ? Math.max(0, total - chosen.except.size) : chosen.rows.size),
  };
}

function nothing<Row>(scope: string): Chosen<Row> {
  return { scope, all: false, rows: new Map(), except: new Set() };
}
