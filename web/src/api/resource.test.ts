import { afterEach, expect, expectTypeOf, test, vi } from 'vitest';
import { parse } from '@/merge';
import { ScriptedService } from '@/test/service';
import { resource } from './resource';

const orders = resource('/api/v1/orders');
const items = resource('/api/v1/items');

const sent = ({ method, url }: Request) => `${method} ${new URL(url).pathname}${new URL(url).search}`;

afterEach(() => vi.unstubAllGlobals());

test('a record is requested by its escaped id', async () => {
  expect(items.one('a/b').queryKey).toEqual(['items', 'one', 'a/b']);
  const requests = await requestsOf(
    () => items.read('a/b'),
    () => items.remove('a/b', '"e1"'),
  );
  expect(requests.map(sent)).toEqual(['GET /api/v1/items/a%2Fb', 'DELETE /api/v1/items/a%2Fb']);
  expect(requests[1]?.headers.get('If-Match')).toBe('"e1"');
});

test('an action carries its key, its ETag and its body', async () => {
  const [request] = await requestsOf(() => orders.act(41, 'cancel', { key: 'k1', etag: '"e1"', body: { reason: 'late' } }));
  expect(request && sent(request)).toBe('POST /api/v1/orders/41/cancel');
  expect(request?.headers.get('X-Idempotency-Key')).toBe('k1');
  expect(request?.headers.get('If-Match')).toBe('"e1"');
  expect(await request?.json()).toEqual({ reason: 'late' });
});

test('an edit is a merge patch or a JSON Patch', async () => {
  const requests = await requestsOf(
    () => items.edit('TEA', { name: 'Tea' }, '"e1"', 'k1', { merge: 'disjoint' }),
    () => items.edit('TEA', [{ op: 'add', path: '/name', value: null }], '"e1"', 'k2'),
  );
  expect(requests.map(sent)).toEqual(['PATCH /api/v1/items/TEA?merge=disjoint', 'PATCH /api/v1/items/TEA']);
  expect(requests.map(({ headers }) => headers.get('Content-Type'))).toEqual(['application/merge-patch+json', 'application/json-patch+json']);
});

test('an exact resource keeps the spelling of numbers', async () => {
  const configs = resource('/api/v1/configs', { exact: true });
  const [request] = await requestsOf(() => configs.create({ key: 'a', value: parse('1.50') } as never, 'k1'));
  expect(await request?.text()).toBe('{"key":"a","value":1.50}');
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"value":1.50}', { headers: { 'Content-Type': 'application/json' } })));
  expect((await configs.read('a')).value).toEqual(parse('1.50'));
});

test('the contract types ids and actions', () => {
  expectTypeOf(orders.read).parameter(0).toEqualTypeOf<number>();
  expectTypeOf(items.read).parameter(0).toEqualTypeOf<string>();
  expectTypeOf<Parameters<typeof orders.act>[1]>().toEqualTypeOf<'pay' | 'ship' | 'complete' | 'cancel' | 'payments' | 'refunds' | 'returns' | 'shipments'>();
});

/** Makes the calls in turn and returns their requests. */
async function requestsOf(...calls: (() => Promise<unknown>)[]): Promise<Request[]> {
  const service = new ScriptedService(...calls.map(() => ({ status: 200, body: {} })));
  vi.stubGlobal('fetch', service.fetch);
  for (const call of calls) await call();
  return service.requests;
}
