import type { Selection } from '../table/useSelection';

/**
 * Returns a selection of fixed rows, independent of the selection in the list. Rows that the run
 * completes are also deselected in the list.
 */
export function fixedSelection<Row>(rows: readonly Row[], rowId: (row: Row) => string, selection: Selection<Row> | undefined): Selection<Row> {
  const none = () => undefined;
  const base = selection ?? { except: new Set<string>(), has: () => false, toggle: none, setMany: none, chooseAll: none, clear: none, count: () => 0 };
  return {
    ...base,
    rows,
    all: false,
    keep: (left) => {
      const done = rows.filter((row) => !left.has(rowId(row)) && base.has(rowId(row)));
      if (done.length > 0) base.setMany(done, false);
    },
  };
}
