import { expect, test } from 'vitest';
import { problemOf, type ApiProblem } from '@/api/problem';
import { problem } from '@/test/service';
import { hasMore, hasInputAt, mistakesOf, openPlacement, rejectedAt, requestOf, type Placement } from './placement';

const placement = (lines: [sku: string, quantity: string][], userId = '12', couponCode = ''): Placement => ({
  ...openPlacement(),
  userId,
  couponCode,
  lines: lines.map(([sku, quantity], i) => ({ id: String(i), sku, quantity })),
});

async function rejection(status: number, code: string, members: Record<string, unknown>): Promise<ApiProblem> {
  const { body, headers } = problem(status, code, members);
  return problemOf(new Response(JSON.stringify(body), { status, headers }));
}

test('missing and invalid input is found before sending', () => {
  expect(mistakesOf(placement([['TEA-1', '2']]))).toEqual({});
  expect(
    mistakesOf(
      placement(
        [
          ['', '0'],
          ['tea 1', '10001'],
          ['A', '1'],
          ['A ', '1.5'],
        ],
        ' ',
      ),
    ),
  ).toEqual({
    '/userId': { kind: 'needed' },
    '/items/0/sku': { kind: 'needed' },
    '/items/0/quantity': { kind: 'noQuantity' },
    '/items/1/sku': { kind: 'noSku' },
    '/items/1/quantity': { kind: 'noQuantity' },
    '/items/3/sku': { kind: 'twice' },
    '/items/3/quantity': { kind: 'noQuantity' },
  });
  expect(mistakesOf(placement([['A', '1']], 'Li Wei'))).toEqual({ '/userId': { kind: 'noId' } });
});

test('an empty coupon is omitted, and input is trimmed', () => {
  expect(requestOf(placement([[' TEA-1 ', '2']]))).toEqual({ userId: '12', items: [{ sku: 'TEA-1', quantity: 2 }] });
  expect(requestOf(placement([['TEA-1', '2']], '12', ' WELCOME ')).couponCode).toBe('WELCOME');
});

test('other fields are sent only with input', () => {
  const form: Placement = {
    ...placement([['TEA-1', '1']]),
    shipping: 490,
    tax: 0,
    paymentTerms: 'invoice',
    externalId: ' WEB-7 ',
    email: 'ana@example.com',
    tags: 'gift\nvip',
    'shippingAddress/name': 'Ana Lang',
    'shippingAddress/city': 'Berlin',
  };
  expect(hasMore(form)).toBe(true);
  expect(hasMore(openPlacement())).toBe(false);
  expect(requestOf(form)).toEqual({
    userId: '12',
    items: [{ sku: 'TEA-1', quantity: 1 }],
    shipping: 490,
    paymentTerms: 'invoice',
    externalId: 'WEB-7',
    email: 'ana@example.com',
    tags: ['gift', 'vip'],
    shippingAddress: { name: 'Ana Lang', city: 'Berlin' },
  });
  expect(mistakesOf({ ...form, tax: null, metadata: 'no colon' })).toEqual({ '/tax': { kind: 'noAmount' }, '/metadata': { kind: 'noMetadata' } });
  expect(hasInputAt('/shippingAddress/city', 1)).toBe(true);
});

test('each line with insufficient stock is named', async () => {
  const typed = placement([
    ['TEA-1', '2'],
    ['POT-1', '9'],
  ]);
  const error = await rejection(409, 'insufficient_stock', { lines: [{ sku: 'POT-1', wanted: 9, available: 4 }] });
  expect(rejectedAt(error, typed)).toEqual({ '/items/1/quantity': { kind: 'short', wanted: 9, available: 4 } });
});

test('field errors appear at their inputs, line errors at the item', async () => {
  const error = await rejection(422, 'validation_failed', {
    fields: [
      { pointer: '/items/0', code: 'overflow', message: 'is too much' },
      { pointer: '/items/0/quantity', code: 'not_for_sale', message: 'names no item that is for sale' },
      { pointer: '/couponCode', code: 'used', message: 'was used' },
      { pointer: '/items', code: 'max', message: 'are too many' },
    ],
  });
  const found = rejectedAt(error, placement([['A', '1']]));
  expect(found).toEqual({
    '/items/0/sku': { kind: 'said', code: 'overflow', message: 'is too much' },
    '/items/0/quantity': { kind: 'notSold' },
    '/couponCode': { kind: 'said', code: 'used', message: 'was used' },
    '/items': { kind: 'said', code: 'max', message: 'are too many' },
  });
  expect(Object.keys(found).filter((pointer) => hasInputAt(pointer, 1))).toEqual(['/items/0/sku', '/items/0/quantity', '/couponCode']);
});

test('other errors belong to no line', async () => {
  expect(rejectedAt(await rejection(503, 'unavailable', {}), placement([['A', '1']]))).toEqual({});
  expect(rejectedAt(new Error('broken'), placement([['A', '1']]))).toEqual({});
});
