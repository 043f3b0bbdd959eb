import { ExactNumber, isObject, type Json, type JsonObject, type Value } from './json';

/**
 * Whether two values are the same JSON: members in any order, numbers by exact
 * decimal value (1, 1.0 and 100e-2 are equal, and so are 0 and -0), strings by code
 * point. An absent value equals only an absent one.
 */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  const x = numberText(a);
  const y = numberText(b);
  if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && sameNumber(x, y);
  if (Array.isArray(a)) return Array.isArray(b) && sameArrays(a, b);
  return isObject(a) && isObject(b) && sameObjects(a, b);
}

function sameArrays(a: Json[], b: Json[]): boolean {
  return a.length === b.length && a.every((item, i) => equal(item, b[i]));
}

function sameObjects(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}

function numberText(value: Json): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'number' ? String(value) : undefined;
}

function sameNumber(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

const maxExponentDigits = 18;

/**
 * The canonical spelling of a decimal: ±digits e exponent, where the digits neither begin nor end
 * with zero. Exponents of more than 18 digits are not added up, so that 1e1000000000000000000 and
 * 10e999999999999999999 count as different. The cost is at worst one additional conflict; the gain
 * is linear time for any input.
 */
function canonical(text: string): string {
  const [mantissa = '', exponent = ''] = text.split(/[eE]/);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = trimStart(whole + fraction);
  const significant = trimEnd(digits);
  if (significant === '') return '0';

  const shift = BigInt(digits.length - significant.length - fraction.length);
  const descending = exponent.startsWith('-') ? '-' : '';
  const magnitude = trimStart(exponent.replace(/^[+-]/, ''));
  if (magnitude.length > maxExponentDigits) return `${sign}${significant}e${shift}r${descending}${magnitude}`;
  return `${sign}${significant}e${shift + BigInt(`${descending}${magnitude || '0'}`)}`;
}

function trimStart(digits: string): string {
  let from = 0;
  while (digits[from] === '0') from++;
  return digits.slice(from);
}

function trimEnd(digits: string): string {
  let to = digits.length;
  while (digits[to - 1] === '0') to--;
  return digits.slice(0, to);
}
