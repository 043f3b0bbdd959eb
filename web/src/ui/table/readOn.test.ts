import { expect, test } from 'vitest';
import { readOn, type ListPage } from './useList';

const empty = (nextCursor: string | null): ListPage<string> => ({ items: [], nextCursor, total: 0, totalIsExact: false });

test('empty pages are skipped', async () => {
  const cursors: (string | undefined)[] = [];
  const page = await readOn((cursor) => {
    cursors.push(cursor);
    return Promise.resolve(cursors.length < 3 ? empty(String(cursors.length)) : { ...empty('more'), items: ['found'] });
  });
  expect(page).toEqual({ items: ['found'], nextCursor: 'more', total: 0, totalIsExact: false });
  expect(cursors).toEqual([undefined, '1', '2']);
});

test('the last page or many empty ones end the read', async () => {
  expect(await readOn(() => Promise.resolve(empty(null)))).toEqual(empty(null));
  let calls = 0;
  const page = await readOn(() => Promise.resolve(empty(String(++calls))));
  expect(page.nextCursor).toBe('21');
});
