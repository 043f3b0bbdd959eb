/**
 * Writes rows as CSV (RFC 4180) with a byte order mark, by which spreadsheets know
 * that it is UTF-8. A cell that a spreadsheet would take for a formula is quoted
 * with an apostrophe.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** What a spreadsheet would take for a formula; a number with a sign is none. */
const formula = /^[=@\t\r]|^[+-](?!\d+(\.\d+)?$)/;

function cell(text: string): string {
  const plain = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * Reads a table as it is pasted from a spreadsheet or comes in a file: rows by line,
 * cells by tabs where there are any, and otherwise by semicolons or commas, whichever
 * the first line has more of. Empty lines are left out, and so is the apostrophe that
 * `csv` sets before what looks like a formula.
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
    row.push(meant(read.trim()));
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

const meant = (text: string): string => (text.startsWith("'") && formula.test(text.slice(1)) ? text.slice(1) : text);

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
