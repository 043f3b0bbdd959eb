import { expect, test } from 'vitest';
import type { AuditEntry } from '@/features/audit/queries';
import { actionsOf, actionsIn, isAgain, kinds } from './kinds';

const entry = (id: number, action: string, resource: string, detail: unknown) => ({ id, action, resource, detail }) as AuditEntry;
const only = (...of: Parameters<typeof actionsIn>) => {
  const [deed, ...others] = actionsIn(...of);
  if (deed === undefined || others.length > 0) throw new Error('it is not of one record');
  return deed;
};

test('the service receives at most its limit of actions', () => {
  expect(actionsOf(kinds, 'delete').split(',').length).toBeLessThanOrEqual(10);
  expect(actionsOf(['items'], 'delete')).toBe('item.delete');
  expect(actionsOf(['configs'], 'create')).toBe('config.create,config.batch');
});

test.each([
  ['item.delete', 'items/50%25%20OFF', { version: 3, content: { name: 'Tea', price: 1 } }, '50% OFF', { name: 'Tea', price: 1 }],
  ['item.delete', 'items/50%', { content: { name: 'Tea' } }, '50%', { name: 'Tea' }],
  ['coupon_campaign.delete', 'coupon-campaigns/4', { version: 2, terms: { name: 'Spring' } }, 'Spring', { name: 'Spring' }],
  ['role.delete', 'roles/9', { name: 'Auditor', permissions: [] }, 'Auditor', { name: 'Auditor', permissions: [] }],
  ['menu.delete', 'menus/3', { content: { title: '', path: '/x' } }, '/x', { title: '', path: '/x' }],
  ['config.delete', 'configs/a.b', { fromVersion: 2, toVersion: 3, changed: [] }, 'a.b', undefined],
  ['flash_sale.delete', 'flash-sales/7', { withheld: 'flash-sales:read' }, '#7', undefined],
])('%s of %s is read as its content', (action, resource, detail, name, content) => {
  expect(only(entry(1, action, resource, detail), 'delete')).toMatchObject({ name, content });
});

test('a batch lists each deleted config and no changed one', () => {
  const changes = [
    { op: 'delete', key: 'a', version: 2 },
    { op: 'update', key: 'b', version: 5 },
    { op: 'delete', key: 'c', version: 9 },
  ];
  expect(actionsIn(entry(1, 'config.batch', 'config-batches', { changes }), 'delete').map(({ record }) => record)).toEqual(['a', 'c']);
  expect(actionsIn(entry(1, 'order.pay', 'orders/1', {}), 'delete')).toEqual([]);
});

test('a record recreated under its key or name exists again', () => {
  const gone = only(entry(5, 'item.delete', 'items/TEA', { content: { name: 'Tea' } }), 'delete');
  expect(isAgain(gone, only(entry(6, 'item.create', 'items/TEA', { content: { name: 'Other' } }), 'create'))).toBe(true);
  expect(isAgain(gone, only(entry(4, 'item.create', 'items/TEA', {}), 'create'))).toBe(false);
  const role = only(entry(5, 'role.delete', 'roles/9', { name: 'Auditor' }), 'delete');
  expect(isAgain(role, only(entry(6, 'role.create', 'roles/10', { name: 'Auditor' }), 'create'))).toBe(true);
  expect(isAgain(role, only(entry(6, 'role.create', 'roles/10', { name: 'Clerk' }), 'create'))).toBe(false);
});
