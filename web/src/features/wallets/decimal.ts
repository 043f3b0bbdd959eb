/** Writes minor units for a file, without floats: −1990 is -19.90. */
export function decimalOf(minor: number): string {
  const size = String(Math.abs(minor)).padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${size.slice(0, -2)}.${size.slice(-2)}`;
}
