import { replacement } from '../files/encoding';
import { disarmed } from './csv';

const lineBreak = /\r\n|\r|\n/g;

export type Separator = '\t' | ';' | ',' | '|';

/**
 * The fault of an unusable line.
 *
 * - quote: a quote is not closed, or is in the middle of a cell.
 * - cells: the number of cells differs from that of the first line.
 * - replaced: the line contains a replacement character for undecodable bytes.
 */
export type Fault = 'quote' | 'cells' | 'replaced';

export interface MalformedLine {
  /** The line number, starting at 1. */
  line: number;
  /** The last line number of the row: its cells may contain line breaks. */
  last: number;
  fault: Fault;
}

interface Line {
  line: number;
  last: number;
  /** The unchanged line without its line break; a quoted cell may contain line breaks. */
  raw: string;
}

export interface Table {
  /** The first line `sep=;` that Excel writes for the separator; '' without one. */
  preamble: string;
  separator: Separator;
  rows: (Line & { cells: string[] })[];
  malformed: (Line & MalformedLine)[];
}

/**
 * Parses a table that was pasted from a spreadsheet or read from a file (RFC 4180). Cells are
 * separated by the character in a first line `sep=;`, by tabs if there are any, and otherwise by
 * semicolons or commas, whichever is more frequent in the first line outside quotes. Lines without a
 * value are omitted, and the apostrophe that `csv` adds before a formula is removed.
 *
 * A malformed line is skipped, and reading resumes at the next one. If the first line is malformed,
 * no line is used, because it decides the number of cells and may name them.
 */
export function readTable(text: string): Table {
  const source = text.replace(/^\ufeff/, '');
  const named = /^sep=([,;|\t])(?:\r\n|\r|\n|$)/i.exec(source);
  const preamble = named?.[0].trimEnd() ?? '';
  const separator = (named?.[1] as Separator | undefined) ?? separatorOf(source);
  const table: Table = { preamble, separator, rows: [], malformed: [] };
  let at = named?.[0].length ?? 0;
  let line = at === 0 ? 1 : 2;
  while (at < source.length) {
    const { cells, end } = readRow(source, at, separator);
    const raw = source.slice(at, end);
    const last = line + (raw.match(lineBreak)?.length ?? 0);
    const width = table.rows[0]?.cells.length ?? cells?.length;
    if (raw.includes(replacement)) table.malformed.push({ line, last, raw, fault: 'replaced' });
    else if (cells === undefined) table.malformed.push({ line, last, raw, fault: 'quote' });
    else if (cells.some((cell) => cell !== '')) {
      if (cells.length === width) table.rows.push({ line, last, raw, cells });
      else table.malformed.push({ line, last, raw, fault: 'cells' });
    }
    if (table.rows.length === 0 && table.malformed.length > 0) break;
    at = source.startsWith('\r\n', end) ? end + 2 : end + 1;
    line = last + 1;
  }
  return table;
}

function separatorOf(source: string): Separator {
  const cellsBy = (separator: Separator) => readRow(source, 0, separator).cells?.length ?? 0;
  if (cellsBy('\t') > 1) return '\t';
  // A comma can be part of an amount, a semicolon rarely.
  return cellsBy(';') > 1 && cellsBy(';') >= cellsBy(',') ? ';' : ',';
}

/** Reads the row at an offset. A malformed row has no cells and ends at its first line break. */
function readRow(source: string, from: number, separator: Separator): { cells?: string[]; end: number } {
  const cells: string[] = [];
  for (let at = from; ; at++) {
    const cell = source[at] === '"' ? quoted(source, at) : bare(source, at, separator);
    if (cell === undefined || !(isEnd(source[cell.end]) || source[cell.end] === separator)) return { end: bareEnd(source, from) };
    cells.push(cell.text.trim().replace(disarmed, ''));
    at = cell.end;
    if (source[at] !== separator) return { cells, end: at };
  }
}

const isEnd = (character: string | undefined): boolean => character === undefined || character === '\n' || character === '\r';

interface Cell {
  text: string;
  end: number;
}

function bareEnd(source: string, from: number, separator?: Separator): number {
  let end = from;
  while (!isEnd(source[end]) && source[end] !== separator) end++;
  return end;
}

/** Reads an unquoted cell. A quote in it is malformed, unless tabs are the separator: spreadsheets copy such cells unquoted. */
function bare(source: string, from: number, separator: Separator): Cell | undefined {
  const end = bareEnd(source, from, separator);
  const text = source.slice(from, end);
  return separator !== '\t' && text.includes('"') ? undefined : { text, end };
}

/** Reads a quoted cell and the spaces after it; undefined if it has no closing quote. */
function quoted(source: string, from: number): Cell | undefined {
  let close = source.indexOf('"', from + 1);
  while (close >= 0 && source[close + 1] === '"') close = source.indexOf('"', close + 2);
  if (close < 0) return undefined;
  let end = close + 1;
  while (source[end] === ' ') end++;
  return { text: source.slice(from + 1, close).replaceAll('""', '"'), end };
}
