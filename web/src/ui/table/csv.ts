/**
 * Writes rows as CSV (RFC 4180) with a byte order mark, so that spreadsheets detect UTF-8. It adds
 * an apostrophe before each text that a spreadsheet would execute as a formula, after any
 * separator: a spreadsheet that splits cells at semicolons ignores the quotes around a cell with
 * commas.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** The start of a cell, after any of the separators. */
const start = String.raw`(?<=^|[;|\t\r\n])`;
/** The start of a formula, including full-width characters. A cell that is a number with a sign is not a formula. */
const formula = String.raw`(?!(?<=^)[+-]\d+(?:\.\d+)?$)(?='*[=@+\-＝＠＋－\t\r])`;
const run = new RegExp(start + formula, 'g');

function cell(text: string): string {
  const plain = text.replace(run, "'");
  return /[",;|\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Downloads a text as a file. */
export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
