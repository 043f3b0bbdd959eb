import { expect, test } from 'vitest';
import type { Order } from '../queries';
import { blankParcel, excessLines, isComplete, parcelOf, type ParcelForm } from './parcel';

const order = {
  items: [
    { lineId: 1, toShip: 3 },
    { lineId: 2, toShip: 0 },
    { lineId: 3, toShip: 1 },
  ],
} as Order;
const form = (part: Partial<ParcelForm>): ParcelForm => ({ ...blankParcel(order), carrier: 'DHL', trackingNo: 'JD9', ...part });

test('a parcel contains all units to ship by default', () => {
  expect(parcelOf(form({ carrier: ' DHL ' }))).toEqual({
    carrier: 'DHL',
    trackingNo: 'JD9',
    lines: [
      { lineId: 1, quantity: 3 },
      { lineId: 3, quantity: 1 },
    ],
  });
});

test('lines without units are not sent, and a refunded order is confirmed', () => {
  const lines = [
    { lineId: 1, quantity: 2 },
    { lineId: 3, quantity: null },
  ];
  expect(parcelOf(form({ lines, shipRefunded: true }))).toMatchObject({ lines: [{ lineId: 1, quantity: 2 }], shipRefunded: true });
});

test.each([
  ['complete', {}, true],
  ['without a carrier', { carrier: ' ' }, false],
  ['without a tracking number', { trackingNo: '' }, false],
  ['without units', { lines: [{ lineId: 1, quantity: null }] }, false],
  ['with too many units', { lines: [{ lineId: 1, quantity: 4 }] }, false],
] as const)('a parcel %s can be sent: %s', (_, part, complete) => {
  expect(isComplete(form(part as Partial<ParcelForm>), order)).toBe(complete);
});

test('a line without units to ship exceeds them', () => {
  expect([...excessLines({ lines: [{ lineId: 2, quantity: 1 }] }, order)]).toEqual([2]);
});
