import { expect, test } from 'vitest';
import { contentOf, formOf, metadataOf, readFields } from './fields';

const address = { name: 'Ana Lang', line1: 'Hauptstr. 1', postalCode: '10115', city: 'Berlin', country: 'DE' };
const order = {
  email: 'ana@example.com',
  note: 'Ring twice.',
  tags: ['gift', 'vip'],
  metadata: { channel: 'app', slot: '9:30', 'a:b': ' two\nlines ', quote: 'say "x"' },
  shippingAddress: address,
  billingAddress: null,
};

test('the content of an unedited form is the order, and converts back to the form', () => {
  const { billingAddress, ...content } = order;
  expect(billingAddress).toBeNull();
  expect(contentOf(readFields(order))).toEqual(content);
  expect(formOf(content)).toEqual(readFields(order));
});

test('an empty email and an empty address are absent', () => {
  const form = { ...readFields({ ...order, shippingAddress: null }), email: ' ' };
  expect(contentOf(form)).toEqual({ note: order.note, tags: order.tags, metadata: order.metadata });
});

test('repeated and empty tags are omitted', () => {
  expect(contentOf({ ...readFields(order), tags: ' gift\n\n vip \ngift' })).toMatchObject({ tags: ['gift', 'vip'] });
});

test.each([
  ['', {}],
  ['slot: 9:30\n\n channel : app', { slot: '9:30', channel: 'app' }],
  ['empty:', { empty: '' }],
  ['"a:b": "1\\n2"', { 'a:b': '1\n2' }],
  ['a: "1', undefined],
  ['no colon', undefined],
  [': value', undefined],
  ['a: 1\na: 2', undefined],
])('the metadata %j is %j', (text, entries) => {
  expect(metadataOf(text)).toEqual(entries);
});
