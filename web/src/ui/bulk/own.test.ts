import { expect, test } from 'vitest';
import { readOwn, withoutRows } from './own';

const columns = [
  { name: 'trackingNo', label: 'Tracking number', isNeeded: true },
  { name: 'carrier', label: 'Carrier', isNeeded: false },
];

test('a table gives each row its own, in the order in which it is asked for', () => {
  const { byLabel, twice, empty } = readOwn('O-1\tJD01\nO-2\tJD02\tUPS\nO-3\t\n', columns);
  expect(Object.fromEntries(byLabel)).toEqual({ 'O-1': { trackingNo: 'JD01' }, 'O-2': { trackingNo: 'JD02', carrier: 'UPS' } });
  expect(empty).toEqual(['O-3']);
  expect(twice).toEqual([]);
});

test('a first line that names the columns tells their order', () => {
  const { byLabel } = readOwn('Order;Carrier;Tracking number\nO-1;DHL;JD01', columns);
  expect(byLabel.get('O-1')).toEqual({ carrier: 'DHL', trackingNo: 'JD01' });
});

test('a row that stands there twice with different values is said, with the same ones it is not', () => {
  const { byLabel, twice } = readOwn('O-1,JD01\nO-1,JD01\nO-2,JD02\nO-2,JD03', columns);
  expect(twice).toEqual(['O-2']);
  expect(Object.fromEntries(byLabel)).toEqual({ 'O-1': { trackingNo: 'JD01' } });
});

test('of what adds up the same twice is said too', () => {
  expect(readOwn('TEA,5\nTEA,5\nCUP,1', [{ name: 'delta', label: 'Pieces', isNeeded: true }], [], true)).toMatchObject({ twice: ['TEA'], empty: [] });
});

test('the column that names the rows may stand anywhere, and columns that are not asked for are passed over', () => {
  const { byLabel } = readOwn('Carrier,Changed (UTC),Order,Tracking number\nDHL,2026-01-01,O-1,JD01', columns, ['Order']);
  expect(Object.fromEntries(byLabel)).toEqual({ 'O-1': { carrier: 'DHL', trackingNo: 'JD01' } });
});

test('a list is read however its entries are set apart, and of a table the column that names the rows', () => {
  const read = (text: string) => [...readOwn(text, [], ['userId', 'User']).byLabel.keys()];
  expect(read('12, 13；14\n14 li')).toEqual(['12', '13', '14', 'li']);
  expect(read('User\n12\n13')).toEqual(['12', '13']);
  expect(read('Balance,User\n100.00,12\n7.00,13')).toEqual(['12', '13']);
});

test('what was done leaves the table, and the rest stays as it was written', () => {
  const text = 'Order;Carrier;Tracking number\nO-1;DHL;JD01\nO-2;"U;PS";JD02';
  expect(readOwn(withoutRows(text, columns, ['Order'], new Set(['O-1'])), columns, ['Order'])).toEqual(readOwn('O-2\tJD02\tU;PS', columns));
  expect(withoutRows('12 13 14', [], [], new Set(['13']))).toBe('12\n14');
  expect(withoutRows(text, columns, ['Order'], new Set(['O-1', 'O-2']))).toBe('');
});
