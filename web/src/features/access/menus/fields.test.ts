import { expect, test } from 'vitest';
import { blankMenu, isAddress, isComplete } from './fields';

test.each(['', '/', '/orders?status=paid#top', 'https://example.com/a//b'])('%j is a valid address of a menu', (path) => {
  expect(isAddress(path)).toBe(true);
});

test.each(['orders', '//example.com', '/a//b', '/\\\\example.com', '/a b', 'http://example.com', 'https://', 'javascript:alert(1)'])('%j is none', (path) => {
  expect(isAddress(path)).toBe(false);
});

test('only pages of this admin can have the default title', () => {
  expect(isComplete({ ...blankMenu, path: '/orders' })).toBe(true);
  expect(isComplete({ ...blankMenu, path: 'https://example.com' })).toBe(false);
  expect(isComplete(blankMenu)).toBe(false);
  expect(isComplete({ ...blankMenu, title: 'Group' })).toBe(true);
});
