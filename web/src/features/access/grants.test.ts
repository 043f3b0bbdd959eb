import { expect, test } from 'vitest';
import { covers, groupsOf, lackedOf, unknownGrants, widerThan, widestOf } from './grants';

const permission = (name: string) => ({ name, meaning: `What ${name} allows.` });

test.each([
  [['orders:read'], 'orders:read', true],
  [['orders:read'], 'orders:write', false],
  [['orders:*'], 'orders:write', true],
  [['orders:*'], 'orders:*', true],
  [['orders:read', 'orders:write'], 'orders:*', false],
  [['*'], 'orders:*', true],
  [['*'], '*', true],
  [['orders:*'], '*', false],
  [[], 'orders:read', false],
])('of %j, %s is allowed: %j', (has, grant, allowed) => {
  expect(covers(has, grant)).toBe(allowed);
});

test('the widest of several granting permissions is named first', () => {
  expect(widerThan(['orders:*', '*'], 'orders:read')).toBe('*');
  expect(widerThan(['orders:*'], 'orders:read')).toBe('orders:*');
  expect(widerThan(['orders:*'], 'orders:*')).toBeUndefined();
  expect(widestOf(['orders:*', 'orders:read', 'items:read'])).toEqual(['orders:*', 'items:read']);
});

test('the first missing permission is named', () => {
  expect(lackedOf(['orders:*', 'items:read'], ['orders:write', 'items:read'])).toBeUndefined();
  expect(lackedOf(['orders:*'], ['orders:write', 'items:read', '*'])).toBe('items:read');
});

test('permissions are grouped by resource, unknown ones separately', () => {
  const known = [permission('items:read'), permission('orders:read'), permission('orders:write')];
  expect(
    groupsOf([{ name: 'orders:read' }, { name: '*' }, { name: 'orders:write' }]).map(({ resource, permissions }) => [resource, permissions.length]),
  ).toEqual([
    ['orders', 2],
    ['*', 1],
  ]);
  expect(groupsOf(known).map(({ resource, permissions }) => [resource, permissions.length])).toEqual([
    ['items', 1],
    ['orders', 2],
  ]);
  expect(unknownGrants(['*', 'orders:*', 'orders:read', 'orders:fly', 'refunds:*'], known)).toEqual(['orders:fly', 'refunds:*']);
});
