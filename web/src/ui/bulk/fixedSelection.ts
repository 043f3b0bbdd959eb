import type { Selection } from '../table/useSelection';

/** A choice of some rows, whatever else is chosen; what of them is done is not chosen any more. */
export function onlyThese<Row>(rows: readonly Row[], rowId: (row: Row) => string, selection: Selection<Row> | undefined): Selection<Row> {
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
