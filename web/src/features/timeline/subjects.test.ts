import { expect, test } from 'vitest';
import type { Found } from '@/features/search/queries';
import { nearHits, subjectsIn } from './subjects';

const hit = (kind: Found['kind'], id: string, title: string, href = `/x/${id}`): Found => ({ kind, id, title, subtitle: '', href });

test('exact matches are subjects, one of each kind, wallets by user', () => {
  const hits = [hit('user', '12', '12'), hit('wallet', '12', '12'), hit('item', '12', '12'), hit('item', '12-B', '12-B'), hit('config', '12', '12')];
  expect(subjectsIn(hits, '12').map(({ kind }) => kind)).toEqual(['user', 'item']);
  expect(nearHits(hits).map(({ name }) => name)).toEqual(['12', '12', '12-B']);
});

test('orders match by id, keys exactly, and tickets with their sale', () => {
  expect(subjectsIn([hit('order', '41', 'O-41')], 'o-41')).toMatchObject([{ kind: 'order', id: '41' }]);
  expect(subjectsIn([hit('idempotency-key', '7', 'pay-1')], 'pay-1')).toMatchObject([{ kind: 'idempotency-key', id: 'pay-1' }]);
  expect(subjectsIn([hit('ticket', 'T9', 'T9', '/flash-sales/3?ticket=T9')], 'T9')).toMatchObject([{ kind: 'ticket', sale: 3 }]);
});
