import { expect, test } from 'vitest';
import { storeReturnPath, takeReturnPath } from './returnTo';

test('the return address is used once', () => {
  storeReturnPath('/orders?status=paid#top');
  expect(takeReturnPath()).toBe('/orders?status=paid#top');
  expect(takeReturnPath()).toBe('/');
});

test.each(['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example', 'javascript:alert(1)', ''])('%s is not a path of this site', (place) => {
  storeReturnPath(place);
  expect(takeReturnPath()).toBe('/');
});
