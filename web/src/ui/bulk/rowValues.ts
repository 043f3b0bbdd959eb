import type { ImportPreview } from '@/api';
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
  /** The decimal separator; undefined if the service detects it. */
  decimal?: NonNullable<ImportPreview['decimal']>;
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
  preview: ImportPreview;
  /** The layout in use; a proposal until the user confirms it. */
  layout: ChosenLayout;
  /** The user must confirm the layout. Until then no line is used. */
  isRequested: boolean;
}

/** The row values of a table, and its unusable lines. */
export interface TableValues {
  byLabel: ReadonlyMap<string, RowValues>;
  /** The labels of rows with several lines that are not equal, or that would add up. */
  twice: string[];
  /** The labels of lines that lack a required value. */
  empty: string[];
  /** The lines that the service cannot read. */
  rejected: ImportPreview['rejected'];
  /** Undefined for a list without columns, and for an empty text. */
  shown: ShownTable | undefined;
}

/** How a table is used: the name of the column that identifies a row, and the layout that the user chose. */
export interface TableUse {
  key: string;
  columns: readonly RowColumn[];
  /** Values for the same row add up. */
  addsUp?: boolean;
  /** The first line of the table. */
  first: string;
  chosen?: ChosenLayout;
}

/**
 * Returns the values of each row of a table. Before the user has confirmed an unknown layout, there
 * are none. Equal lines of the same row count once, unless their values add up.
 */
export function readRowValues(preview: ImportPreview | undefined, use: TableUse): TableValues {
  const byLabel = new Map<string, RowValues>();
  const [twice, empty] = [new Set<string>(), new Set<string>()];
  const { key, columns, addsUp = false } = use;
  const shown = preview && shownOf(preview, use);
  for (const { values } of shown?.isRequested === true ? [] : (preview?.rows ?? [])) {
    const { [key]: label = '', ...own } = values;
    const same = byLabel.get(label);
    if (columns.some(({ name, isNeeded }) => isNeeded && own[name] === undefined)) empty.add(label);
    else if (same !== undefined && (addsUp || JSON.stringify(same) !== JSON.stringify(own))) twice.add(label);
    else byLabel.set(label, own);
  }
  twice.forEach((label) => byLabel.delete(label));
  return { byLabel, twice: [...twice], empty: [...empty], rejected: preview?.rejected ?? [], shown };
}

/** The layout of a table: of the service, or of the user. */
function shownOf(preview: ImportPreview, { key, columns, first, chosen }: TableUse): ShownTable | undefined {
  if (preview.columns.length === 0) return undefined;
  const uses = preview.columns.map(({ use }) => (use === key ? rowUse : use));
  const read = { hasHead: preview.hasHeader, uses, first, isConfirmed: preview.isMapped };
  const layout = chosen?.first === first && chosen.uses.length === uses.length ? chosen : read;
  return { preview, layout, isRequested: !layout.isConfirmed || !preview.isMapped || !isUsable(layout, columns) };
}

/** Whether a layout contains the row column and all required columns. */
export function isUsable({ uses }: Pick<Layout, 'uses'>, columns: readonly RowColumn[]): boolean {
  const needed = [rowUse, ...columns.filter(({ isNeeded }) => isNeeded).map(({ name }) => name)];
  return needed.every((use) => uses.includes(use));
}
