import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pagesOf } from './pages';

test('the list of pages contains each route with its parameters', () => {
  const pages = pagesOf(readFileSync('src/routeTree.gen.ts', 'utf8'));
  expect(pages).toEqual(expect.arrayContaining(['/', '/configs', '/configs/$key', '/aggregates/$type/$id']));
  expect(pagesOf('export interface Other {}')).toEqual([]);
});
