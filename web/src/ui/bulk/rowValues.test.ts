import { expect, test } from 'vitest';
import { isUsable, readRowValues, rowUse, withoutRows, type ChosenLayout } from './rowValues';

const columns = [
  { name: 'trackingNo', label: 'Tracking number', isNeeded: true },
  { name: 'carrier', label: 'Carrier', isNeeded: false },
];
const chosen = (first: string, uses: (string | null)[], hasHead = false): ChosenLayout => ({ first, uses, hasHead, isConfirmed: true });
const rowsOf = (values: ReturnType<typeof readRowValues>) => Object.fromEntries(values.byLabel);

test('a header row assigns the columns in any order', () => {
  const read = readRowValues('Carrier;Changed (UTC);Order;Tracking number\nDHL;2026-01-01;O-1;JD01\nUPS;;O-2;', columns, ['Order']);
  expect(rowsOf(read)).toEqual({ 'O-1': { carrier: 'DHL', trackingNo: 'JD01' } });
  expect(read).toMatchObject({ empty: ['O-2'], shown: { isRequested: false, layout: { hasHead: true, uses: ['carrier', null, rowUse, 'trackingNo'] } } });
});

test('without known names the first column names the row', () => {
  expect(rowsOf(readRowValues('Order;Carrier;Tracking number\nO-1;DHL;JD01', columns))).toEqual({ 'O-1': { carrier: 'DHL', trackingNo: 'JD01' } });
});

test.each([
  ['it may be a row', 'O-1\tJD01\tUPS\nO-2\tJD02\tDHL', false, [rowUse, 'trackingNo', 'carrier']],
  ['it may be a header in another language', 'Bestellung;Sendung\nO-1;JD01', true, [rowUse, 'trackingNo']],
  ['it lacks a required column', 'Order;Sendung\nO-1;JD01', true, [rowUse, null]],
  ['it names a column twice', 'Order;Carrier;Carrier;Tracking number\nO-1;a;b;JD01', true, [rowUse, 'carrier', 'carrier', 'trackingNo']],
])('an unknown first line needs a layout: %s', (_, text, hasHead, uses) => {
  const read = readRowValues(text, columns, ['Order']);
  expect(rowsOf(read)).toEqual({});
  expect(read.shown).toMatchObject({ isRequested: true, layout: { hasHead, uses } });
});

test('a confirmed layout applies to its first line only', () => {
  const text = 'O-1\tJD01\nO-2\tJD02';
  const layout = chosen('O-1\tJD01', [rowUse, 'trackingNo']);
  expect(rowsOf(readRowValues(text, columns, [], false, layout))).toEqual({ 'O-1': { trackingNo: 'JD01' }, 'O-2': { trackingNo: 'JD02' } });
  expect(readRowValues(`Bestellung\tSendung\n${text}`, columns, [], false, layout).shown?.isRequested).toBe(true);
  expect(readRowValues(text, columns, [], false, { ...layout, isConfirmed: false }).shown?.isRequested).toBe(true);
  expect(readRowValues(text, columns, [], false, { ...layout, uses: [rowUse, null] }).shown?.isRequested).toBe(true);
});

test('a layout needs the row and each required column', () => {
  const usable = [[rowUse, 'trackingNo'], ['trackingNo'], [rowUse, 'carrier'], [rowUse, 'trackingNo', rowUse]].map((uses) => isUsable({ uses }, columns));
  expect(usable).toEqual([true, false, false, false]);
});

test('a row with different values is ambiguous', () => {
  const { byLabel, twice } = readRowValues('Order,Tracking number\nO-1,JD01\nO-1,JD01\nO-2,JD02\nO-2,JD03', columns);
  expect(twice).toEqual(['O-2']);
  expect(Object.fromEntries(byLabel)).toEqual({ 'O-1': { trackingNo: 'JD01' } });
});

test('values that add up are ambiguous even when equal', () => {
  const delta = [{ name: 'delta', label: 'Pieces', isNeeded: true }];
  expect(readRowValues('SKU,Pieces\nTEA,5\nTEA,5\nCUP,1', delta, ['SKU'], true)).toMatchObject({ twice: ['TEA'], empty: [] });
});

const listOf = (text: string, layout?: ChosenLayout) => readRowValues(text, [], ['userId', 'User'], false, layout);

test.each([
  ['12, 13；14 li', ['12', '13', '14', 'li']],
  ['12\n13\r\n\n14', ['12', '13', '14']],
  ['User\n12\nada', ['12', 'ada']],
  ['Balance,User\n100.00,12\n7.00,13', ['12', '13']],
])('the list %j is read', (text, labels) => {
  const read = listOf(text);
  expect([...read.byLabel.keys()]).toEqual(labels);
  expect(read.shown?.isRequested ?? false).toBe(false);
});

test.each([
  ['of a table', 'email,name\nada@example.com,Ada'],
  ['of a table without a header', 'ada@example.com,Ada\nli@example.com,Li'],
  ['of a column', 'E-Mail-Adresse\nada@example.com'],
])('the cells %s are no list before a layout is confirmed', (_, text) => {
  const read = listOf(text);
  expect(read.byLabel.size).toBe(0);
  expect(read.shown?.isRequested).toBe(true);
  const [first = ''] = text.split('\n');
  const uses = first.includes(',') ? [rowUse, null] : [rowUse];
  expect([...listOf(text, chosen(first, uses, true)).byLabel.keys()]).toEqual([text.split('\n')[1]?.split(',')[0]]);
});

test('finished rows leave the table and other lines stay', () => {
  const text = 'sep=;\nOrder;Carrier;Tracking number\nO-1;DHL;JD01\nO-2;"U;PS";JD02\n"O-3;x;JD03';
  const read = readRowValues(text, columns, ['Order']);
  expect(withoutRows(text, read, new Set(['O-1']))).toBe('sep=;\nOrder;Carrier;Tracking number\nO-2;"U;PS";JD02\n"O-3;x;JD03');
  const whole = text.slice(0, text.lastIndexOf('\n'));
  expect(withoutRows(whole, readRowValues(whole, columns, ['Order']), new Set(['O-1', 'O-2']))).toBe('');
  expect(withoutRows('12 13 14', listOf('12 13 14'), new Set(['13']))).toBe('12\n14');
  expect(withoutRows('12\n13\n14', listOf('12\n13\n14'), new Set(['13']))).toBe('12\n14');
});
