import { expect, test } from 'vitest';
import { isPatchable, patchOf, threeWay } from '@/merge';
import { labelsOf } from '@/ui';
import { membersOf, namesIn, patchOfSets, pathOf, setOf, spellSet, withName, wordsWithSet } from './sets';

test('a set has one spelling in the order of the service', () => {
  expect(spellSet(['b', 'a', 'b'])).toBe('a\nb');
  expect(namesIn('a\nb')).toEqual(['a', 'b']);
  expect(namesIn(spellSet([]))).toEqual([]);
  expect(withName('b', 'a', true)).toBe('a\nb');
  expect(withName('a\nb', 'a', false)).toBe('b');
  expect(withName('a', 'a', true)).toBe('a');
});

test('a set converts to its members and back for any names', () => {
  const spelled = spellSet(['*', 'orders:*', 'a/b~c', '__proto__', '夜班']);
  expect(setOf(membersOf(spelled))).toBe(spelled);
  expect(setOf(undefined)).toBe('');
});

test('an edit of a set sends additions and removals by name', () => {
  const [base, mine] = [
    { name: 'support', permissions: membersOf('a\nb') },
    { name: 'Support', permissions: membersOf('b\nc') },
  ];
  expect(isPatchable(base, mine)).toBe(true);
  expect(patchOfSets(patchOf(base, mine), 'permissions')).toEqual({ name: 'Support', permissions: { add: ['c'], remove: ['a'] } });
  const emptied = { name: 'support', permissions: membersOf('') };
  expect(patchOfSets(patchOf(base, emptied), 'permissions')).toEqual({ permissions: { add: [], remove: ['a', 'b'] } });
});

test('edits of different members merge; equal members conflict', () => {
  const [base, mine, theirs] = ['a', 'a\nb\nc', 'a\nb\nd'].map((set) => ({ roles: membersOf(set) }));
  const both = threeWay(base ?? {}, mine ?? {}, theirs ?? {});
  expect(both.conflicts.map(({ pointer }) => pointer)).toEqual(['/roles/b']);
  expect(both.yoursOnly).toEqual(['/roles/c']);
  expect(both.theirsOnly).toEqual(['/roles/d']);
});

test('a set member is a JSON Pointer, also with a slash', () => {
  const labels = wordsWithSet(labelsOf<{ name: string }>({ name: { label: 'Name', show: (name) => name } }), 'roles', {
    label: 'Roles',
    one: (name) => `role ${name}`,
    given: 'given',
    taken: 'not given',
  });
  expect(labels.field(`/${pathOf('roles', 'east/west')}`)).toBe('role east/west');
  expect(labels.field('/roles')).toBe('Roles');
  expect(labels.field('/name')).toBe('Name');
  expect([true, undefined].map((value) => labels.show(value, '/roles/a'))).toEqual(['given', 'not given']);
  expect(labels.show({ a: true, b: true }, '/roles')).toBe('a, b');
  expect(labels.show('support', '/name')).toBe('support');
});
