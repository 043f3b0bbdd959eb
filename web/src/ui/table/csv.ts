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
/** The apostrophes that `csv` writes before formulas. */
export const disarmed = new RegExp(`${start}'${formula}`, 'g');

function cell(text: string): string {
  const plain = text.replace(run, "'");
  return /[",;|\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
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
