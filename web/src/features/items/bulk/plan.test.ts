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
] as const)('the %s of an item is set under the version that was seen', (kind, patch) => {
  expect(editOf(item, { ...form, kind }, undefined, reading)).toMatchObject({ op: 'edit', etag: '"3-1"', patch });
});

test('what an item has already is left, and a price of its own is read from its line', () => {
  expect(editOf({ ...item, price: 2190 }, form, undefined, reading)).toEqual({ why: 'same' });
  expect(editOf(item, form, { price: '5.00' }, reading)).toMatchObject({ patch: { price: 500 } });
  expect(editOf(item, form, { price: 'five' }, reading)).toEqual({ why: 'price', text: 'five' });
});

test('a line edits what there is by the cells that say something, and adds what there is not', () => {
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
  ['with a sku that cannot be', 'a cup', { name: 'Cup', price: '9.00' }, { why: 'sku' }],
  ['with words for a price', 'CUP', { price: '9,0' }, { why: 'price', text: '9,0' }],
  ['with an owner that cannot be', 'TEA', { ownedByUserId: '李' }, { why: 'owner', text: '李' }],
])('a line %s is left, with the reason', (_, sku, own, why) => {
  expect(lineOf(sku === 'TEA' ? item : { sku, isNew: true }, own as Record<string, string>, reading)).toEqual(why);
});

test('a change is taken back under the version that it made', () => {
  const edit = lineOf(item, { price: '21.90' }, reading);
  if ('why' in edit) throw new Error('it is a change');
  expect(undoOf(edit, '"4-1"')).toEqual({ op: 'edit', etag: '"4-1"', patch: { price: 1990 }, before: { price: 2190 } });
  expect(undoOf({ op: 'add', item: { sku: 'CUP', name: 'Cup', price: 900, status: 'active' } }, '"1-2"')).toEqual({ op: 'delete', etag: '"1-2"' });
  expect(undoOf(edit, undefined)).toBeUndefined();
});
