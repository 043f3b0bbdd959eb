import { expect, test } from 'vitest';
import { isOverdue, stepsOf, winnerAs } from './holding';
import type { WorkOrder } from './queries';

const li = { id: 2, name: 'Li' };
const ana = { id: 3, name: 'Ana' };
const order = (over: Partial<WorkOrder>) =>
  ({
    status: 'claimed',
    holder: li,
    heldTime: '2026-01-31T09:00:00Z',
    offered: false,
    allowedTransitions: ['release', 'assign', 'resolve'],
    ...over,
  }) as WorkOrder;
const only =
  (...permissions: string[]) =>
  (permission: string) =>
    permissions.includes(permission);

test.each([
  ['its holder releases and resolves', order({}), li.id, only('work-orders:write'), ['release', 'resolve']],
  ['another user does not', order({}), ana.id, only('work-orders:write'), []],
  ['a user who may assign does', order({}), ana.id, only('work-orders:write', 'work-orders:assign'), ['release', 'assign', 'resolve']],
  [
    'an open one is for everybody',
    order({ status: 'open', holder: null, offered: true, allowedTransitions: ['claim', 'assign', 'resolve'] }),
    ana.id,
    only('work-orders:write'),
    ['claim', 'resolve'],
  ],
  [
    'and so is what a disabled user holds',
    order({ offered: true, allowedTransitions: ['claim', 'release', 'resolve'] }),
    ana.id,
    only('work-orders:write'),
    ['claim', 'release', 'resolve'],
  ],
  ['a reader does nothing', order({}), li.id, only('work-orders:read'), []],
] as const)('%s', (_, given, me, may, steps) => {
  expect(stepsOf(given, me, may)).toEqual(steps);
});

test('the holder wins a work order, not the last commenter', () => {
  const won = winnerAs({ current: order({}), by: ana, time: '2026-01-31T10:00:00Z' });
  expect([won.by, won.time]).toEqual([li, '2026-01-31T09:00:00Z']);
  expect(winnerAs({ current: order({ status: 'resolved' }), by: ana, time: '2026-01-31T10:00:00Z' }).by).toEqual(ana);
});

test('a resolved work order is not overdue', () => {
  const due = { dueTime: '2026-01-31T09:00:00Z' };
  const [before, after] = [Date.parse(due.dueTime) - 1, Date.parse(due.dueTime) + 1];
  expect(isOverdue({ ...due, status: 'open' }, after)).toBe(true);
  expect(isOverdue({ ...due, status: 'open' }, before)).toBe(false);
  expect(isOverdue({ ...due, status: 'resolved' }, after)).toBe(false);
  expect(isOverdue({ dueTime: null, status: 'open' }, after)).toBe(false);
});
