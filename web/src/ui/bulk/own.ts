import { csv, readTable } from '../table/csv';
import type { Own } from './action';

/** A column of a pasted table. */
export interface OwnColumn {
  name: string;
  label: string;
  /** A row without it is left out. */
  isNeeded: boolean;
}

/** What a pasted table gives each row, and what of it cannot be used. */
export interface OwnValues {
  byLabel: ReadonlyMap<string, Own>;
  /** Rows that stand there more than once, which of them is meant being unknown. */
  twice: string[];
  /** The first cells of lines that have no value. */
  empty: string[];
}

/** What people set between the entries of a list. */
const between = /[\s,;，；、|]+/;

const isWord = (cell: string, words: readonly string[]) => words.some((word) => word.toLowerCase() === cell.toLowerCase());

/**
 * Reads what each row has of its own from a table: the first column names the row, the
 * others follow in the order in which they are asked for. A first line that names a
 * column, or the rows by one of `names`, tells the order itself; what it calls otherwise
 * is passed over. Where no column is asked for, the text is a list of rows, however its
 * entries are set apart.
 *
 * A row that stands there twice with the same values is one, unless what the values say adds up.
 */
export function readOwn(text: string, columns: readonly OwnColumn[], names: readonly string[] = [], addsUp = false): OwnValues {
  const byLabel = new Map<string, Own>();
  const [twice, empty] = [new Set<string>(), new Set<string>()];
  if (columns.length === 0) {
    for (const label of listOf(text, names)) byLabel.set(label, {});
    return { byLabel, twice: [], empty: [] };
  }
  const { lines, order, at } = layoutOf(text, columns, names);
  for (const cells of lines) {
    const own: Record<string, string> = {};
    order.forEach((column, i) => {
      if (column !== undefined && cells[i] !== undefined && cells[i] !== '') own[column.name] = cells[i];
    });
    const label = cells[at] ?? '';
    const same = byLabel.get(label);
    if (columns.some(({ name, isNeeded }) => isNeeded && own[name] === undefined)) empty.add(label);
    else if (same !== undefined && (addsUp || JSON.stringify(same) !== JSON.stringify(own))) twice.add(label);
    else byLabel.set(label, own);
  }
  twice.forEach((label) => byLabel.delete(label));
  return { byLabel, twice: [...twice], empty: [...empty] };
}

/** The same text without the lines of some rows. */
export function withoutRows(text: string, columns: readonly OwnColumn[], names: readonly string[], done: ReadonlySet<string>): string {
  if (columns.length === 0)
    return listOf(text, names)
      .filter((label) => !done.has(label))
      .join('\n');
  const { head, lines, at } = layoutOf(text, columns, names);
  const left = lines.filter((cells) => !done.has(cells[at] ?? ''));
  return left.length === 0 ? '' : csv([...(head === undefined ? [] : [head]), ...left]).replace(/^\ufeff/, '');
}

/** Entries of a list; of a table whose first line names the rows, the cells of that column alone. */
function listOf(text: string, names: readonly string[]): string[] {
  const [head = [], ...rows] = readTable(text);
  const at = head.findIndex((cell) => isWord(cell, names));
  const cells = at < 0 ? text.replace(/^\ufeff/, '').split(between) : rows.map((row) => row[at] ?? '');
  return cells.filter(Boolean);
}

function layoutOf(text: string, columns: readonly OwnColumn[], names: readonly string[]) {
  const rows = readTable(text);
  const first = rows[0] ?? [];
  const named = (cell: string) => columns.find(({ name, label }) => isWord(cell, [name, label]));
  const isHead = first.some((cell, i) => isWord(cell, names) || (i > 0 && named(cell) !== undefined));
  const head = isHead ? first : undefined;
  const at = Math.max(0, head?.findIndex((cell) => isWord(cell, names)) ?? 0);
  const order = head === undefined ? [undefined, ...columns] : head.map((cell, i) => (i === at ? undefined : named(cell)));
  return { head, lines: head === undefined ? rows : rows.slice(1), order, at };
}
