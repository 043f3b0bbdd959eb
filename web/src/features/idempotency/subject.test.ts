import { expect, test } from 'vitest';
import { subjectOf } from './subject';

test.each([
  ['/api/v1/orders/41/pay', 'orders/41'],
  ['/api/v1/inventory/TEA-1/adjustments', 'inventory/TEA-1'],
  ['/api/v1/items/A%20B', 'items/A B'],
  ['/api/v1/aggregates/shelf/A-17/events', 'aggregates/shelf/A-17'],
  ['/api/v1/aggregates/shelf', undefined],
  ['/api/v1/orders', undefined],
  ['/other/orders/41', undefined],
])('%s is about %s', (path, subject) => {
  expect(subjectOf(path)).toBe(subject);
});
