import { expect, test } from 'vitest';
import { foldChanges, type Change } from './fold';

const change = (id: number, action: string, actor = 7) => ({ id, action, actor: { id: actor, name: 'Li' } }) as Change;
const folded = (changes: Change[]) => foldChanges(changes).map(({ change: { id }, others }) => [id, others]);

test('three equal changes of one user become one entry', () => {
  expect(folded([change(9, 'item.update'), change(8, 'item.update'), change(7, 'item.update'), change(6, 'item.delete')])).toEqual([
    [9, 2],
    [6, 0],
  ]);
});

test('changes of other users and shorter runs stay separate', () => {
  expect(folded([change(9, 'item.update'), change(8, 'item.update', 1), change(7, 'item.update'), change(6, 'item.update')])).toEqual([
    [9, 0],
    [8, 0],
    [7, 0],
    [6, 0],
  ]);
});
