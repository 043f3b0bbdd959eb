import { expect, test } from 'vitest';
import type { Item } from '../queries';
import { editOf, lineOf, undoOf, type EditForm, type Reading } from './plan';

const item = { sku: 'TEA', name: 'Green tea', price: 1990, status: 'active', ownedByUserId: null, etag: '"3-1"' } as Item;
const reading: Reading = {
  money: (text) => (/^\d+\.\d\d$/.test(text) ? Number(text.replace('.', '')) : null),
  isOwner: (text) => text !== '李',
};
const form: EditForm = { kind: 'price', price: 2190, percent: 10, status: 'archived', owner: ' li ' };

test.each([
  ['price', { price: 2190 }],
  ['percent', { price: 2189 }],
  ['status', { status: 'archived' }],
  ['owner', { ownedByUserId: 'li' }],
] as const)('the %s of an item is set under the displayed version', (kind, patch) => {
  expect(editOf(item, { ...form, kind }, undefined, reading)).toMatchObject({ op: 'edit', etag: '"3-1"', patch });
});

test('an equal value is skipped, and a line sets its price', () => {
  expect(editOf({ ...item, price: 2190 }, form, undefined, reading)).toEqual({ why: 'same' });
  expect(editOf(item, form, { price: '5.00' }, reading)).toMatchObject({ patch: { price: 500 } });
  expect(editOf(item, form, { price: 'five' }, reading)).toEqual({ why: 'price', text: 'five' });
});

test('a line updates an item by its non-empty cells or adds one', () => {
  expect(lineOf(item, { name: 'Green tea', price: '21.90' }, reading)).toEqual({
    op: 'edit',
    etag: '"3-1"',
    patch: { price: 2190 },
    before: { price: 1990 },
  });
  expect(lineOf({ sku: 'CUP', isNew: true }, { name: 'Cup', price: '9.00', status: 'archived' }, reading)).toEqual({
    op: 'add',
    item: { sku: 'CUP', name: 'Cup', price: 900, status: 'archived', ownedByUserId: null },
  });
});

test.each([
  ['without a price', 'CUP', { name: 'Cup' }, { why: 'incomplete' }],
  ['with an invalid sku', 'a cup', { name: 'Cup', price: '9.00' }, { why: 'sku' }],
  ['with text as a price', 'CUP', { price: '9,0' }, { why: 'price', text: '9,0' }],
  ['with an invalid owner', 'TEA', { ownedByUserId: '李' }, { why: 'owner', text: '李' }],
])('a line %s is skipped with a reason', (_, sku, own, why) => {
  expect(lineOf(sku === 'TEA' ? item : { sku, isNew: true }, own as Record<string, string>, reading)).toEqual(why);
});

test('undo is guarded by the new version', () => {
  const edit = lineOf(item, { price: '21.90' }, reading);
  if ('why' in edit) throw new Error('it is a change');
  expect(undoOf(edit, '"4-1"')).toEqual({ op: 'edit', etag: '"4-1"', patch: { price: 1990 }, before: { price: 2190 } });
  expect(undoOf({ op: 'add', item: { sku: 'CUP', name: 'Cup', price: 900, status: 'active' } }, '"1-2"')).toEqual({ op: 'delete', etag: '"1-2"' });
  expect(undoOf(edit, undefined)).toBeUndefined();
});
