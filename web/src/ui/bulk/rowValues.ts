import { readTable, type MalformedLine, type Separator, type Table } from '../table/readTable';
import type { Own } from './action';

/** A column of a pasted table. */
export interface OwnColumn {
  name: string;
  label: string;
  /** A row without it is left out. */
  isNeeded: boolean;
}

/** The use of the column that names the row. */
export const rowUse = '#row';

/** How a table is laid out. */
export interface Layout {
  /** The first line names the columns and is no row. */
  hasHead: boolean;
  /** What each column is used as: `rowUse`, the name of a column, or null where it is passed over. */
  uses: readonly (string | null)[];
}

/** The layout of one table. */
export interface ChosenLayout extends Layout {
  /** The first line that it was chosen for; for another one the user is asked again. */
  first: string;
  /** The user has confirmed it, or the first line names what is needed. */
  isConfirmed: boolean;
}

/** A table as the user sees how it is read. */
export interface ShownTable {
  separator: Separator;
  /** The first two lines. */
  first: readonly string[];
  second: readonly string[] | undefined;
  /** How it is read; a proposal as long as the user is asked. */
  layout: ChosenLayout;
  /** What the columns are is a question: no line is used before it is answered. */
  isAsked: boolean;
}

/** What a pasted table gives each row, and what of it cannot be used. */
export interface OwnValues {
  byLabel: ReadonlyMap<string, Own>;
  /** Rows that stand there more than once, which of them is meant being unknown. */
  twice: string[];
  /** The first cells of lines that have no value. */
  empty: string[];
  /** Lines that are malformed. */
  rejected: readonly MalformedLine[];
  /** Undefined for a list without columns, and for a text without lines. */
  shown: ShownTable | undefined;
}

/** What people set between the entries of a list that is written in one line. */
const between = /[\s,;，；、|]+/;

const isWord = (cell: string, words: readonly string[]) => words.some((word) => word.toLowerCase() === cell.toLowerCase());

/** Whether a cell can be the name of a column: the names of rows mostly have a digit. */
const isNameLike = (cell: string) => /^[\p{L}\s_()-]+$/u.test(cell);

/**
 * Reads what each row has of its own from a table. A first line that names the row by one of
 * `names`, or a column, decides what each column is; columns that are not asked for are passed
 * over. Any other first line is a question: nothing is read before a layout is chosen.
 *
 * Where no column is asked for, one line is a list whose entries are separated by spaces or
 * punctuation, and several lines are a list with one entry each. Lines with more cells are a
 * table, never a list.
 *
 * A row that stands there twice with the same values is one, unless what the values say adds up.
 */
export function readOwn(text: string, columns: readonly OwnColumn[], names: readonly string[] = [], addsUp = false, chosen?: ChosenLayout): OwnValues {
  const byLabel = new Map<string, Own>();
  const [twice, empty] = [new Set<string>(), new Set<string>()];
  const read = readTable(text);
  const list = listOf(read, columns, names);
  const shown = list === undefined ? shownOf(read, columns, names, chosen) : undefined;
  for (const label of list ?? []) byLabel.set(label, {});
  for (const { cells } of shown === undefined || shown.isAsked ? [] : rowsOf(read, shown.layout)) {
    const own: Record<string, string> = {};
    shown?.layout.uses.forEach((use, i) => {
      if (use !== null && use !== rowUse && cells[i] !== undefined && cells[i] !== '') own[use] = cells[i];
    });
    const label = labelOf(cells, shown?.layout);
    const same = byLabel.get(label);
    if (label === '' || columns.some(({ name, isNeeded }) => isNeeded && own[name] === undefined)) empty.add(label);
    else if (same !== undefined && (addsUp || JSON.stringify(same) !== JSON.stringify(own))) twice.add(label);
    else byLabel.set(label, own);
  }
  twice.forEach((label) => byLabel.delete(label));
  return { byLabel, twice: [...twice], empty: [...empty], rejected: read.malformed, shown };
}

/** The same text without the lines of some rows; each other line is as it was written. */
export function withoutRows(text: string, { shown }: Pick<OwnValues, 'shown'>, done: ReadonlySet<string>): string {
  const read = readTable(text);
  if (shown === undefined) {
    const [only, ...others] = read.rows;
    const entries = only !== undefined && others.length === 0 ? entriesOf(only.raw) : read.rows.map(({ cells }) => cells.join(' '));
    return [...entries.filter((entry) => !done.has(entry)), ...read.malformed.map(({ raw }) => raw)].join('\n');
  }
  const isLeft = ({ cells }: { cells: string[] }) => !done.has(labelOf(cells, shown.layout));
  const head = shown.layout.hasHead ? read.rows.slice(0, 1) : [];
  const left = [...rowsOf(read, shown.layout).filter(isLeft), ...read.malformed].sort((a, b) => a.line - b.line);
  const lines = [...head, ...left].map(({ raw }) => raw);
  return left.length === 0 ? '' : [...(read.preamble === '' ? [] : [read.preamble]), ...lines].join('\n');
}

const entriesOf = (line: string): string[] => line.split(between).filter(Boolean);

const labelOf = (cells: readonly string[], layout: Layout | undefined): string => cells[layout?.uses.indexOf(rowUse) ?? 0] ?? '';

const rowsOf = ({ rows }: Table, { hasHead }: Layout) => (hasHead ? rows.slice(1) : rows);

/** The first line of a text with a value, as it was written. */
export const firstLineOf = (text: string): string => readTable(text).rows[0]?.raw ?? '';

/** The entries of a text that is a list; undefined for a table, and for a list whose first line may be the name of its column. */
function listOf({ rows, preamble, malformed: rejected }: Table, columns: readonly OwnColumn[], names: readonly string[]): string[] | undefined {
  const [first, ...others] = rows;
  if (columns.length > 0 || preamble !== '' || first === undefined) return undefined;
  if (first.cells.some((cell) => isWord(cell, names))) return undefined;
  if (others.length === 0 && rejected.length === 0) return entriesOf(first.raw);
  return first.cells.length > 1 || isNameLike(first.cells.join('')) ? undefined : rows.map(({ cells }) => cells.join(''));
}

/** How a table is read: as its first line says, as the user chose, or a proposal to be asked about. */
function shownOf(
  { rows, separator }: Table,
  columns: readonly OwnColumn[],
  names: readonly string[],
  chosen: ChosenLayout | undefined,
): ShownTable | undefined {
  const [head, next] = rows;
  if (head === undefined) return undefined;
  const named = head.cells.map((cell) => {
    if (isWord(cell, names)) return rowUse;
    return columns.find(({ name, label }) => isWord(cell, [name, label]))?.name ?? null;
  });
  // Where nobody knows what the rows are called, the first column names them.
  if (names.length === 0 && named[0] === null && named.some((use) => use !== null)) named[0] = rowUse;
  const isNamed = named.some((use) => use !== null);
  const byPosition = head.cells.map((_, i) => (i === 0 ? rowUse : (columns[i - 1]?.name ?? null)));
  const hasHead = isNamed || (next !== undefined && head.cells.every((cell) => cell === '' || isNameLike(cell)));
  const proposed = { hasHead, uses: isNamed ? named : byPosition, first: head.raw, isConfirmed: isNamed };
  const layout = chosen?.first === head.raw && chosen.uses.length === head.cells.length ? chosen : proposed;
  return { separator, first: head.cells, second: next?.cells, layout, isAsked: !layout.isConfirmed || !isUsable(layout, columns) };
}

/** Whether a layout names the row and each column that is needed, none of them twice. */
export function isUsable({ uses }: Pick<Layout, 'uses'>, columns: readonly OwnColumn[]): boolean {
  const used = uses.filter((use) => use !== null);
  const needed = [rowUse, ...columns.filter(({ isNeeded }) => isNeeded).map(({ name }) => name)];
  return new Set(used).size === used.length && needed.every((use) => used.includes(use));
}
