import { expect, test } from 'vitest';
import type { ImportPreview } from '@/api';
import { firstLineOf } from './preview';
import { isUsable, readRowValues, rowUse, type ChosenLayout, type TableUse } from './rowValues';

const columns = [
  { name: 'trackingNo', label: 'Tracking number', isNeeded: true },
  { name: 'carrier', label: 'Carrier', isNeeded: false },
];
const use: TableUse = { key: 'order', columns, first: 'first' };
const preview = (uses: (string | null)[], rows: Record<string, string>[], part: Partial<ImportPreview> = {}): ImportPreview => ({
  encoding: 'utf-8',
  encodings: ['utf-8'],
  separator: 'semicolon',
  decimal: null,
  hasHeader: true,
  isMapped: true,
  columns: uses.map((name, i) => ({ header: `Column ${i}`, use: name, example: '' })),
  rows: rows.map((values, i) => ({ line: i + 2, lastLine: i + 2, values })),
  rejected: [],
  ...part,
});
const named = ['order', 'trackingNo', null, 'carrier'];

test('the values of each row are read by its label', () => {
  const read = readRowValues(
    preview(named, [
      { order: 'O-1', trackingNo: 'JD01', carrier: 'DHL' },
      { order: 'O-2', carrier: 'UPS' },
    ]),
    use,
  );
  expect(Object.fromEntries(read.byLabel)).toEqual({ 'O-1': { carrier: 'DHL', trackingNo: 'JD01' } });
  expect(read).toMatchObject({ empty: ['O-2'], shown: { isRequested: false, layout: { uses: [rowUse, 'trackingNo', null, 'carrier'] } } });
});

test.each([
  ['the service needs a mapping', ['order', 'trackingNo'], { isMapped: false }],
  ['it lacks a column that is needed', ['order', null], {}],
])('no row is used before the layout is confirmed: %s', (_, uses, part) => {
  const read = readRowValues(preview(uses, [{ order: 'O-1', trackingNo: 'JD01' }], part), use);
  expect(read.byLabel.size).toBe(0);
  expect(read.shown?.isRequested).toBe(true);
});

test('a chosen layout applies to its first line only', () => {
  const chosen: ChosenLayout = { first: 'first', uses: [rowUse, 'trackingNo'], hasHead: true, isConfirmed: true };
  const read = preview(['order', 'trackingNo'], [{ order: 'O-1', trackingNo: 'JD01' }]);
  expect(readRowValues(read, { ...use, chosen: { ...chosen, isConfirmed: false } }).shown).toMatchObject({ isRequested: true });
  expect(readRowValues(read, { ...use, chosen: { ...chosen, isConfirmed: false, first: 'another' } }).shown).toMatchObject({ isRequested: false });
  expect(readRowValues(read, { ...use, chosen }).byLabel.size).toBe(1);
});

test('a layout needs the row and each required column', () => {
  const usable = [[rowUse, 'trackingNo'], ['trackingNo'], [rowUse, 'carrier']].map((uses) => isUsable({ uses }, columns));
  expect(usable).toEqual([true, false, false]);
});

test('a row with different values is ambiguous, and so are values that add up', () => {
  const rows = [
    { order: 'O-1', trackingNo: 'JD01' },
    { order: 'O-1', trackingNo: 'JD01' },
    { order: 'O-2', trackingNo: 'JD02' },
    { order: 'O-2', trackingNo: 'JD03' },
  ];
  expect(readRowValues(preview(named, rows), use)).toMatchObject({ twice: ['O-2'], byLabel: new Map([['O-1', { trackingNo: 'JD01' }]]) });
  expect(readRowValues(preview(named, rows), { ...use, addsUp: true }).twice).toEqual(['O-1', 'O-2']);
});

test.each([
  ['sep=;\r\nOrder;Tracking number\r\nO-1;JD01', 'Order;Tracking number'],
  ['\n \rO-1', 'O-1'],
  ['', ''],
])('the first line of a table is not the one of Excel: %j', (text, line) => expect(firstLineOf(text)).toBe(line));
