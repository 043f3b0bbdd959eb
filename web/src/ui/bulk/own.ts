import { readTable } from '../table/csv';

/** A column of a pasted table. */
export interface OwnColumn {
  name: string;
  label: string;
  /** A row without it is left out. */
  isNeeded: boolean;
}

/** What a pasted table gives each row, and what of it cannot be used. */
export interface OwnValues {
  byLabel: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Rows that stand there more than once with different values. */
  twice: string[];
  /** The first cells of lines that have no value. */
  empty: string[];
}

/**
 * Reads what each row has of its own from a table: the first column names the row, the
 * others follow in the order in which they are asked for. A first line that names a
 * column tells the order itself.
 */
export function readOwn(text: string, columns: readonly OwnColumn[]): OwnValues {
  const rows = readTable(text);
  const named = (cell: string) => columns.find(({ name, label }) => [name, label].some((word) => word.toLowerCase() === cell.toLowerCase()));
  const isHead = rows[0]?.some((cell, i) => i > 0 && named(cell) !== undefined) ?? false;
  const order = isHead ? (rows[0] ?? []).slice(1).map(named) : columns;
  const byLabel = new Map<string, Record<string, string>>();
  const [twice, empty]: string[][] = [[], []];
  for (const [label = '', ...cells] of isHead ? rows.slice(1) : rows) {
    const own: Record<string, string> = {};
    order.forEach((column, i) => {
      if (column !== undefined && cells[i] !== undefined && cells[i] !== '') own[column.name] = cells[i];
    });
    if (columns.some(({ name, isNeeded }) => isNeeded && own[name] === undefined)) empty?.push(label);
    else if (byLabel.has(label) && JSON.stringify(byLabel.get(label)) !== JSON.stringify(own)) twice?.push(label);
    else byLabel.set(label, own);
  }
  return { byLabel, twice: twice ?? [], empty: empty ?? [] };
}
