import { expect, test } from 'vitest';
import { readOwn } from './own';

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
  expect(byLabel.get('O-1')).toEqual({ trackingNo: 'JD01' });
});
