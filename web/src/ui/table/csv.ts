/**
 * Writes rows as CSV (RFC 4180) with a byte order mark, by which spreadsheets know
 * that it is UTF-8. An apostrophe is written before each text that a spreadsheet would run
 * as a formula, whichever separator it uses: one that splits cells at semicolons ignores
 * the quotes around a cell with commas.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** The start of a cell, with any separator. */
const start = String.raw`(?<=^|[;|\t\r\n])`;
/** The start of a formula, also in full width; a cell that is a number with a sign is none. */
const formula = String.raw`(?!(?<=^)[+-]\d+(?:\.\d+)?$)(?='*[=@+\-＝＠＋－\t\r])`;
const run = new RegExp(start + formula, 'g');
const disarmed = new RegExp(`${start}'${formula}`, 'g');

function cell(text: string): string {
  const plain = text.replace(run, "'");
  return /[",;|\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * Reads a table as it is pasted from a spreadsheet or comes in a file: rows by line,
 * cells by tabs where there are any, and otherwise by semicolons or commas, whichever
 * the first line has more of. Empty lines are left out, and so is the apostrophe that
 * `csv` writes before a formula.
 */
export function readTable(text: string): string[][] {
  const source = text.replace(/^\ufeff/, '');
  const [head = ''] = source.split(/\r?\n/, 1);
  const count = (mark: string) => head.split(mark).length - 1;
  const mark = head.includes('\t') ? '\t' : count(';') > count(',') ? ';' : ',';
  const rows: string[][] = [[]];
  let at = 0;
  while (at < source.length) {
    const row = rows.at(-1) ?? [];
    const { text: read, end } = source[at] === '"' ? quoted(source, at) : bare(source, at, mark);
    row.push(read.trim().replace(disarmed, ''));
    at = end;
    if (source[at] === mark) {
      at++;
      if (at === source.length) row.push('');
    } else {
      while (source[at] === '\r' || source[at] === '\n') at++;
      rows.push([]);
    }
  }
  return rows.filter((row) => row.some((one) => one !== ''));
}

function bare(source: string, from: number, mark: string): { text: string; end: number } {
  let end = from;
  while (end < source.length && source[end] !== mark && source[end] !== '\n' && source[end] !== '\r') end++;
  return { text: source.slice(from, end), end };
}

function quoted(source: string, from: number): { text: string; end: number } {
  let text = '';
  let at = from + 1;
  for (; at < source.length; at++) {
    if (source[at] !== '"') text += source[at] ?? '';
    else if (source[at + 1] === '"') {
      text += '"';
      at++;
    } else break;
  }
  return { text, end: at + 1 };
}

/** Hands a text to the browser as a file. */
export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
