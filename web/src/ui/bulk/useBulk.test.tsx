import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import type { BulkAction } from './action';
import { onlyThese } from './onlyThese';
import { useBulk } from './useBulk';

interface Row {
  id: string;
}

const action: BulkAction<Row, { reason: string }> = {
  id: 'void',
  words: { title: () => 'Void', confirm: () => 'Void' },
  size: 1,
  table: { button: 'Void a list', names: ['code'], find: (id) => Promise.resolve({ id }) },
  open: () => ({ reason: '' }),
  skip: () => undefined,
  item: ({ id }) => ({ id, label: id }),
  send: () => Promise.resolve([]),
};
const rowId = ({ id }: Row) => id;
const chosen = { selection: onlyThese<Row>([], rowId, undefined), readPage: () => Promise.reject(new Error('not read')), shown: [] };
const open = () =>
  renderHook(() => useBulk({ list: 'coupons', action, rowId, chosen, isTable: true, watched: undefined, topic: 'coupons' }), { wrapper: Surroundings });

beforeEach(() => {
  sessionStore.signedIn(session());
  drafts.clear(ownerOf('default', 7));
});

test('a table that was read while something else was typed takes nothing of it, and both are there when it is opened again', () => {
  const first = open();
  const { setTable } = first.result.current.own;
  act(() => first.result.current.change({ reason: 'a mistake' }));
  act(() => setTable('A\nB'));
  expect(first.result.current.input).toEqual({ reason: 'a mistake' });
  first.unmount();

  const second = open();
  expect(second.result.current).toMatchObject({ input: { reason: 'a mistake' }, own: { table: 'A\nB' } });
  expect(second.result.current.restored).toBeTypeOf('number');
  act(() => second.result.current.startAfresh());
  expect(second.result.current).toMatchObject({ input: { reason: '' }, own: { table: '' }, restored: undefined });
  second.unmount();
  expect(open().result.current.own.table).toBe('');
});
