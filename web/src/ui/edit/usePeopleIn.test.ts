import { expect, test } from 'vitest';
import { peopleIn } from './usePeopleIn';

const li = { id: 2, name: 'Li', field: '/title', since: '2026-01-31T09:00:00Z' };
const ana = { id: 3, name: 'Ana', field: '', since: '2026-01-31T09:00:00Z' };
const named = ({ id, name }: typeof li) => ({ id, name });
const asked = [
  { resource: 'work-orders/5', people: [li] },
  { resource: 'work-orders/6', people: [li, ana] },
  { resource: 'orders/5', people: [ana] },
];

test('only records of the kind are told, and oneself is not among the people', () => {
  expect(peopleIn('work-orders', li.id, asked, new Map())).toEqual(new Map([['work-orders/6', [named(ana)]]]));
});

test('what was said since goes before what was asked: who came, and who has gone', () => {
  const told = new Map([
    ['work-orders/5', []],
    ['work-orders/7', [ana]],
  ]);
  expect(peopleIn('work-orders', 9, asked, told)).toEqual(
    new Map([
      ['work-orders/6', [named(li), named(ana)]],
      ['work-orders/7', [named(ana)]],
    ]),
  );
});
