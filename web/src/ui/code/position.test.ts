import { expect, test } from 'vitest';
import { rangeOf } from './position';

const text = '{\n  "timeout": 3000,\n  "a/b": [1, {"~": true}]\n}';

test.each([
  ['/timeout', '3000'],
  ['/a~1b', '[1, {"~": true}]'],
  ['/a~1b/1', '{"~": true}'],
  ['/a~1b/1/~0', 'true'],
  ['/timeout/further', '3000'],
  ['/missing', text],
  ['', text],
])('the place %s is found in the text', (pointer, expected) => {
  const { from, to } = rangeOf(text, pointer);
  expect(text.slice(from, to)).toBe(expected);
});
