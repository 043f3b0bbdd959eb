import { expect, test } from 'vitest';
import { ofLock, ofQueue } from './belongs';

test.each([
  ['fs:12', 'flash-sales/12'],
  ['other:12', undefined],
  ['fs', undefined],
  ['constructor:1', undefined],
])('the queue %s is for %s', (name, path) => {
  expect(ofQueue(name)).toBe(path);
});

test.each([
  ['wallet:1:7', 'wallets/7'],
  ['aggregate:1:shelf/A-17', 'aggregates/shelf/A-17'],
  ['inventory:3:TEA-1', 'inventory/TEA-1'],
  ['inventory:3:TEA:1', 'inventory/TEA:1'],
  ['job:1:sweep', undefined],
  ['wallet:1', undefined],
])('the lock %s guards %s', (key, path) => {
  expect(ofLock(key)).toBe(path);
});
