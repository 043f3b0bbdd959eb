// Proves G6.6.

import { expect, test } from 'vitest';
import { csv } from './csv';
import { readTable } from './readTable';

const cellsOf = (text: string) => readTable(text).rows.map(({ cells }) => cells);
const malformedOf = (text: string) => readTable(text).malformed.map(({ line, last, fault }) => [line === last ? line : `${line}-${last}`, fault]);

test.each<[string, string[][]]>([
  [
    'a\tb, c\n1\t2',
    [
      ['a', 'b, c'],
      ['1', '2'],
    ],
  ],
  [
    '\ufeffa;b\r\n1;2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,"b ""x"", c"\n\n1,',
    [
      ['a', 'b "x", c'],
      ['1', ''],
    ],
  ],
  ['"two\nlines",2', [['two\nlines', '2']]],
  ['TEA;12,50', [['TEA', '12,50']]],
  ['"a;b";c,d,e', [['a;b', 'c,d,e']]],
  ['TEA\t12" pan', [['TEA', '12" pan']]],
  [
    'a,b\r1,2\r',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['', []],
])('the table %j is read (case %#)', (text, rows) => {
  expect(cellsOf(text)).toEqual(rows);
  expect(malformedOf(text)).toEqual([]);
});

test('what was written is read back', () => {
  const rows = [
    ['Number', 'a,b'],
    ['O-1', 'x"y'],
    ['O-2', '12,50'],
    ['=1+1', '+49 30 1234'],
    ['a;=1+1', '＝1+1'],
    ["'=1+1", 'a|@x'],
    ['a\n=1+1', 'x;-5'],
  ];
  expect(cellsOf(csv(rows))).toEqual(rows);
});

test('the first line of Excel names the separator and is no row', () => {
  expect(readTable('sep=|\r\na;b|c\r\n1|2')).toMatchObject({ preamble: 'sep=|', separator: '|', rows: [{ line: 2, cells: ['a;b', 'c'] }, { line: 3 }] });
});

test.each<[string, string, (number | string)[][], string[][]]>([
  ['a quote that ends before its cell', 'a,b\n"Green" tea,1\nCUP,2', [[2, 'quote']], [['CUP', '2']]],
  [
    'a quote that is not closed',
    'a,b\n"Green tea,1\nCUP,2\nPOT,3',
    [[2, 'quote']],
    [
      ['CUP', '2'],
      ['POT', '3'],
    ],
  ],
  ['a quote that only a later line closes', 'a,b\nTEA,"1\nCUP","2"\n"x\ny",2', [['2-3', 'cells']], [['x\ny', '2']]],
  ['a quote within a cell', 'a,b\n12" pan,1\nCUP,2', [[2, 'quote']], [['CUP', '2']]],
  [
    'too few cells, and too many',
    'a,b\nTEA\nCUP,2\nPOT,3,4',
    [
      [2, 'cells'],
      [4, 'cells'],
    ],
    [['CUP', '2']],
  ],
  ['a character that replaces bytes', 'a,b\n"two\nlines",1\nM\ufffdller,2', [[4, 'replaced']], [['two\nlines', '1']]],
])('%s refuses its line by number', (_, text, malformed, rows) => {
  expect(malformedOf(text)).toEqual(malformed);
  expect(cellsOf(text).slice(1)).toEqual(rows);
});

test('without its first line a table has no rows', () => {
  expect(readTable('"SKU,Name\nTEA,Tea')).toMatchObject({ rows: [], malformed: [{ line: 1, fault: 'quote' }] });
});
