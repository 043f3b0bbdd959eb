import { expect, test } from 'vitest';
import { minorOf } from './MoneyInput';

test.each([
  ['19.90', 2, 1990],
  ['19.9', 2, 1990],
  ['19.', 2, 1900],
  [' 0.05 ', 2, 5],
  ['6000', 0, 6000],
  ['1.234', 3, 1234],
  ['90071992547.41', 2, 9007199254741],
])('%s with %d decimals is %d minor units', (text, digits, minor) => {
  expect(minorOf(text, digits)).toBe(minor);
});

test.each([
  ['', 2],
  ['-1', 2],
  ['1.999', 2],
  ['1.5', 0],
  ['1,5', 2],
  ['1e3', 2],
])('%j is an invalid amount with %d decimals', (text, digits) => {
  expect(minorOf(text, digits)).toBeNull();
});
