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
