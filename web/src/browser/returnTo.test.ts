import { expect, test } from 'vitest';
import { keepPlace, takePlace } from './returnTo';

test('the place is kept once', () => {
  keepPlace('/orders?status=paid#top');
  expect(takePlace()).toBe('/orders?status=paid#top');
  expect(takePlace()).toBe('/');
});

test.each(['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example', 'javascript:alert(1)', ''])('%s is no place of this site', (place) => {
  keepPlace(place);
  expect(takePlace()).toBe('/');
});
