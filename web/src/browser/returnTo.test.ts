import { expect, test } from 'vitest';
import { keepPlace, takePlace } from './returnTo';

test('the return address is used once', () => {
  keepPlace('/orders?status=paid#top');
  expect(takePlace()).toBe('/orders?status=paid#top');
  expect(takePlace()).toBe('/');
});

test.each(['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example', 'javascript:alert(1)', ''])('%s is not a path of this site', (place) => {
  keepPlace(place);
  expect(takePlace()).toBe('/');
});
