import { useState } from 'react';
import { filtersOf, type Raw, type TableSearch } from './search';

/**
 * The selected rows of a list. The selection survives a change of page. `all` means every row that
 * matches the filters, including rows on other pages, except the deselected ones.
 */
export interface Selection<Row> {
  /** The loaded rows in the selection. With `all` the selection also contains rows that were not loaded. */
  rows: readonly Row[];
  all: boolean;
  /** Ids of rows that `all` excludes. */
  except: ReadonlySet<string>;
  has: (id: string) => boolean;
  toggle: (row: Row) => void;
  /** Selects or deselects several rows: a page, or a range. */
  setMany: (rows: readonly Row[], chosen: boolean) => void;
  chooseAll: () => void;
  clear: () => void;
  /** Deselects all rows except those with these ids, for which the action failed. */
  keep: (ids: ReadonlySet<string>) => void;
  /** Returns the number of selected rows; `total` is the number of matching rows. */
  count: (total: number) => number;
}

interface Chosen<Row> {
  /** The filters at the time of the selection. */
  scope: string;
  all: boolean;
  rows: ReadonlyMap<string, Row>;
  except: ReadonlySet<string>;
}

/** `all` depends on the filters and is reset when they change; single rows stay selected. */
export function useSelection<Row>(rowId: (row: Row) => string, search: Raw<TableSearch>): Selection<Row> {
  const scope = JSON.stringify(filtersOf(search));
  const [stored, setChosen] = useState<Chosen<Row>>(() => nothing(scope));
  const chosen = stored.all && stored.scope !== scope ? nothing<Row>(scope) : stored;

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
