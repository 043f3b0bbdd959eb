import { expect, test } from 'vitest';
import { allArrived, arrivedLines, isBeyond } from './receipt';

const row = {
  lines: [
    { lineId: 1, quantity: 3, sku: 'TEA', name: 'Tea', received: 0, restocked: 0 },
    { lineId: 2, quantity: 1, sku: 'POT', name: 'Pot', received: 0, restocked: 0 },
  ],
};

test('all requested units return to stock by default', () => {
  expect(arrivedLines(allArrived(row))).toEqual([
    { lineId: 1, quantity: 3, restock: true },
    { lineId: 2, quantity: 1, restock: true },
  ]);
});

test('a line is sent once for each destination of its units', () => {
  const lines = [
    { lineId: 1, restocked: 2, writtenOff: 1 },
    { lineId: 2, restocked: null, writtenOff: null },
  ];
  expect(arrivedLines(lines)).toEqual([
    { lineId: 1, quantity: 2, restock: true },
    { lineId: 1, quantity: 1, restock: false },
  ]);
});

test.each([
  [3, null, false],
  [2, 1, false],
  [2, 2, true],
  [null, 4, true],
])('%s restocked and %s written-off units of 3', (restocked, writtenOff, beyond) => {
  expect(isBeyond({ lineId: 1, restocked, writtenOff }, row)).toBe(beyond);
});
