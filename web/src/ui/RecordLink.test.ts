import { expect, test } from 'vitest';
import { pageOf, pathOf } from './RecordLink';

const routes = ['/orders/', '/orders/$id', '/items/$sku', '/wallets/$userId', '/aggregates/$type/$id'];

test.each([
  ['orders', '/orders'],
  ['orders/41', '/orders/41'],
  ['inventory/TEA-1', '/items/TEA-1'],
  ['aggregates/shelf/a@b', '/aggregates/shelf/a%40b'],
  ['nothing/1', undefined],
  // The service escapes customer ids in paths, as an address does.
  ['wallets/Li%20Wei', '/wallets/Li%20Wei'],
  ['wallets/a%2Fb', '/wallets/a%2Fb'],
  ['wallets/100%25', '/wallets/100%25'],
  ['wallets/100%', '/wallets/100%25'],
])('%s is at %s', (path, page) => {
  expect(pageOf(path, routes)).toBe(page);
});

test.each(['u-1', 'Li Wei', 'a/b', '100%', '$&+=:@', "!'()*~", '李'])('a wallet of %s has the path of the service', (user) => {
  const path = pathOf('wallets', user);
  expect(decodeURIComponent(path)).toBe(`wallets/${user}`);
  expect(pageOf(path, routes)).toBe(`/wallets/${encodeURIComponent(user)}`);
});

test('characters that paths allow are not escaped', () => {
  expect(pathOf('wallets', "a$&+=:@b!'()*c")).toBe('wallets/a$&+=:@b%21%27%28%29%2Ac');
});
