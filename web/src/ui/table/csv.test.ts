import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { csv } from './csv';

test('CSV quotes special values and defuses formulas', () => {
  expect(
    csv([
      ['a', 'b,c', 'd"e'],
      ['=1+1', '-5', '@x'],
      ['中', '-5x', 'l\nm'],
    ]),
  ).toBe('\ufeffa,"b,c","d""e"\r\n\'=1+1,-5,\'@x\r\n中,\'-5x,"l\nm"\r\n');
});

const formulas = ['=1+1', '@x', '-5x', '+x', '＝1+1', "'=1+1", 'a;=1+1', 'a\t=1+1', 'a|@x', 'a\n=1+1', 'a"";=1+1', '\t=1+1', 'x;-5', '1;-5;2', '-5'];

test('no separator turns a cell into a formula', () => {
  for (const separator of [',', ';', '\t', '|']) {
    for (const text of formulas) {
      // A spreadsheet with another separator only recognizes quotes at the start of a cell.
      const cells = csv([['a', text]])
        .slice(1)
        .split(separator === ',' ? /\r\n/ : new RegExp(`[\r\n${separator}]`));
      for (const one of cells) expect(one).not.toMatch(/^[=@＝\t]|^[+-](?!\d+$)/);
    }
  }
});

// The test of tablefile reads this file back.
test('the service reads the file that it writes', () => {
  const rows = [
    ['SKU', 'Name'],
    ['0049', '=1+1'],
    ['B-1', "'=1+1"],
    ['B-2', 'a;=b|+c'],
    ['B-3', '-5'],
    ['B-4', 'two\nlines, "quoted"'],
    ['B-5', "don't"],
    ['B-6', '＝1+1'],
    ['B-7', '中 -5x'],
    ['B-8', '-5x'],
  ];
  expect(csv(rows)).toBe(readFileSync('../internal/base/tablefile/testdata/web-admin.csv', 'utf8'));
});
