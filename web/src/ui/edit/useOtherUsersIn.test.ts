import { expect, test } from 'vitest';
import { otherUsersIn } from './useOtherUsersIn';

const li = { id: 2, name: 'Li', field: '/title', since: '2026-01-31T09:00:00Z' };
const ana = { id: 3, name: 'Ana', field: '', since: '2026-01-31T09:00:00Z' };
const named = ({ id, name }: typeof li) => ({ id, name });
const fetched = [
  { resource: 'work-orders/5', people: [li] },
  { resource: 'work-orders/6', people: [li, ana] },
  { resource: 'orders/5', people: [ana] },
];

test('returns other users on records of the kind', () => {
  expect(otherUsersIn('work-orders', li.id, fetched, new Map())).toEqual(new Map([['work-orders/6', [named(ana)]]]));
});

test('events replace the fetched presence', () => {
  const updates = new Map([
    ['work-orders/5', []],
    ['work-orders/7', [ana]],
  ]);
  expect(otherUsersIn('work-orders', 9, fetched, updates)).toEqual(
    new Map([
      ['work-orders/6', [named(li), named(ana)]],
      ['work-orders/7', [named(ana)]],
    ]),
  );
});
