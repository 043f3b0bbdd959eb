import { expect, test } from 'vitest';
import type { Menu } from './queries';
import { positionAfter, positionAt, rowsOf, acceptsChildren, type Step, type Zone } from './tree';

/** Builds menus from [id, parentId] pairs, parents before their children. */
function treeOf(...pairs: [number, number | null][]): Menu[] {
  const counts = new Map<number | null, number>();
  return pairs.map(([id, parentId]) => {
    const position = counts.get(parentId) ?? 0;
    counts.set(parentId, position + 1);
    return { id, parentId, position } as Menu;
  });
}

const menus = treeOf([1, null], [2, 1], [3, 1], [4, 3], [5, null], [6, null]);
const at = (id: number) => menus.find((menu) => menu.id === id) as Menu;

test('the tree has the level and position of each menu', () => {
  expect(rowsOf(menus).map(({ menu, level, siblings }) => [menu.id, level, siblings])).toEqual([
    [1, 1, 3],
    [2, 2, 2],
    [3, 2, 2],
    [4, 3, 1],
    [5, 1, 3],
    [6, 1, 3],
  ]);
});

test.each<[number, Step, [number | null, number] | undefined]>([
  [1, 'up', undefined],
  [5, 'up', [null, 0]],
  [5, 'down', [null, 2]],
  [6, 'down', undefined],
  [3, 'in', [2, 0]],
  [2, 'in', undefined],
  [5, 'in', [1, 2]],
  [4, 'out', [1, 2]],
  [2, 'out', [null, 1]],
  [6, 'out', undefined],
])('menu %i goes %s to %j', (id, step, place) => {
  expect(positionAfter(menus, at(id), step)).toEqual(place && { parentId: place[0], position: place[1] });
});

test.each<[number, number, Zone, [number | null, number] | undefined]>([
  [6, 1, 'before', [null, 0]],
  [1, 6, 'after', [null, 2]],
  [1, 5, 'after', [null, 1]],
  [1, 5, 'before', undefined],
  [5, 5, 'inside', undefined],
  [5, 3, 'inside', [3, 1]],
  [5, 4, 'before', [3, 0]],
  [1, 4, 'after', undefined],
  [1, 1, 'after', undefined],
  [3, 1, 'inside', undefined],
  [2, 1, 'inside', [1, 1]],
])('menu %i dropped on %i, %s of it, moves to %j', (id, target, zone, place) => {
  expect(positionAt(menus, at(id), at(target), zone)).toEqual(place && { parentId: place[0], position: place[1] });
});

test('no menu exceeds the maximum depth', () => {
  const deep = treeOf([1, null], [2, 1], [3, 2], [4, 3], [5, null], [6, 5]);
  const [, , third, fourth, fifth] = deep as [Menu, Menu, Menu, Menu, Menu];
  expect(positionAt(deep, fifth, third, 'inside')).toBeUndefined();
  expect(positionAt(deep, fifth, third, 'after')).toEqual({ parentId: 2, position: 1 });
  expect([acceptsChildren(deep, third.id), acceptsChildren(deep, fourth.id)]).toEqual([true, false]);
});
