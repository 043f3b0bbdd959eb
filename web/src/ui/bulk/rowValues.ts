import { readTable, type MalformedLine, type Separator, type Table } from '../table/readTable';
import type { RowValues } from './action';

/** A column of a pasted or uploaded table. A table is text with one line per row. */
export interface RowColumn {
  name: string;
  label: string;
  /** A row without a value in this column is skipped. */
  isNeeded: boolean;
}

/** The entry in Layout.uses for the column that identifies the row. */
export const rowUse = '#row';

/** The layout of a table. */
export interface Layout {
  /** The first line contains the column names. */
  hasHead: boolean;
  /** The use of each column: `rowUse`, a column name, or null for an ignored column. */
  uses: readonly (string | null)[];
}

/** A layout that is valid for the table with this first line. */
export interface ChosenLayout extends Layout {
  /** The first line of the table; a layout with another first line does not apply. */
  first: string;
  /** The user confirmed the layout, or the first line names the required columns. */
  isConfirmed: boolean;
}

/** A table with its layout, for display. */
export interface ShownTable {
  separator: Separator;
  /** The cells of the first two lines. */
  first: readonly string[];
  second: readonly string[] | undefined;
  /** The layout in use; a proposal until the user confirms it. */
  layout: ChosenLayout;
  /** The user must confirm the layout. Until then no line is used. */
  isRequested: boolean;
}

/** The row values of a pasted table, and its unusable lines. */
export interface TableValues {
  byLabel: ReadonlyMap<string, RowValues>;
  /** The labels of rows with several lines that are not equal, or that would add up. */
  twice: string[];
  /** The labels of lines that lack a required value. */
  empty: string[];
  /** Malformed lines. */
  rejected: readonly MalformedLine[];
  /** Undefined for a list without columns, and for an empty text. */
  shown: ShownTable | undefined;
}

/** Separators between the entries of a one-line list. */
const between = /[\s,;，；、|]+/;

const isOneOf = (cell: string, words: readonly string[]) => words.some((word) => word.toLowerCase() === cell.toLowerCase());

/** Whether a cell can be a column name: row labels usually contain a digit. */
const isNameLike = (cell: string) => /^[\p{L}\s_()-]+$/u.test(cell);

/**
 * Reads the values of each row from a table. If the first line contains one of `names` or the name
 * of a column, it determines the layout, and unknown columns are ignored. Otherwise the user must
 * confirm a layout, and no line is read before that.
 *
 * Without columns, one line is a list of entries separated by spaces or punctuation, and several
 * lines are a list with one entry each. Lines with more cells are a table, never a list.
 *
 * Equal lines of the same row count once, unless their values add up.
 */
export function readRowValues(text: string, columns: readonly RowColumn[], names: readonly string[] = [], addsUp = false, chosen?: ChosenLayout): TableValues {
  const byLabel = new Map<string, RowValues>();
  const [twice, empty] = [new Set<string>(), new Set<string>()];
  const read = readTable(text);
  const list = listOf(read, columns, names);
  const shown = list === undefined ? shownOf(read, columns, names, chosen) : undefined;
  for (const label of list ?? []) byLabel.set(label, {});
  for (const { cells } of shown === undefined || shown.isRequested ? [] : rowsOf(read, shown.layout)) {
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

/** Returns the text without the lines of finished rows; the other lines are unchanged. */
export function withoutRows(text: string, { shown }: Pick<TableValues, 'shown'>, done: ReadonlySet<string>): string {
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

/** The first line of a text with a value, unchanged. */
export const firstLineOf = (text: string): string => readTable(text).rows[0]?.raw ?? '';

/** The entries of a list; undefined for a table, and for a list with a first line that may be a column name. */
function listOf({ rows, preamble, malformed: rejected }: Table, columns: readonly RowColumn[], names: readonly string[]): string[] | undefined {
  const [first, ...others] = rows;
  if (columns.length > 0 || preamble !== '' || first === undefined) return undefined;
  if (first.cells.some((cell) => isOneOf(cell, names))) return undefined;
  if (others.length === 0 && rejected.length === 0) return entriesOf(first.raw);
  return first.cells.length > 1 || isNameLike(first.cells.join('')) ? undefined : rows.map(({ cells }) => cells.join(''));
}

/** The layout of a table: from its first line, from the user, or a proposal that needs a confirmation. */
function shownOf(
  { rows, separator }: Table,
  columns: readonly RowColumn[],
  names: readonly string[],
  chosen: ChosenLayout | undefined,
): ShownTable | undefined {
  const [head, next] = rows;
  if (head === undefined) return undefined;
  const named = head.cells.map((cell) => {
    if (isOneOf(cell, names)) return rowUse;
    return columns.find(({ name, label }) => isOneOf(cell, [name, label]))?.name ?? null;
  });
  // Without `names` no header identifies the row column. It is then the first column, unless its
  // header names a value column.
  if (names.length === 0 && named[0] === null && named.some((use) => use !== null)) named[0] = rowUse;
  const isNamed = named.some((use) => use !== null);
  const byPosition = head.cells.map((_, i) => (i === 0 ? rowUse : (columns[i - 1]?.name ?? null)));
  const hasHead = isNamed || (next !== undefined && head.cells.every((cell) => cell === '' || isNameLike(cell)));
  const proposed = { hasHead, uses: isNamed ? named : byPosition, first: head.raw, isConfirmed: isNamed };
  const layout = chosen?.first === head.raw && chosen.uses.length === head.cells.length ? chosen : proposed;
  return { separator, first: head.cells, second: next?.cells, layout, isRequested: !layout.isConfirmed || !isUsable(layout, columns) };
}

/** Whether a layout contains the row column and all required columns, and no column twice. */
export function isUsable({ uses }: Pick<Layout, 'uses'>, columns: readonly RowColumn[]): boolean {
  const used = uses.filter((use) => use !== null);
  const needed = [rowUse, ...columns.filter(({ isNeeded }) => isNeeded).map(({ name }) => name)];
  return new Set(used).size === used.length && needed.every((use) => used.includes(use));
}
