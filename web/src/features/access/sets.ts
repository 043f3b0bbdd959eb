import { byCodePoint, isObject, namesOf, pointerOf, type JsonObject, type Value } from '@/merge';
import type { Words } from '@/ui';

/**
 * A set of names as one value of a form: a line each, in order. The service takes no name
 * with a control character in it.
 */
export const spellSet = (names: readonly string[]): string => [...new Set(names)].sort(byCodePoint).join('\n');

export const namesIn = (spelled: string): string[] => (spelled === '' ? [] : spelled.split('\n'));

/** The set with a name given or taken. */
export const withName = (spelled: string, name: string, isIn: boolean): string =>
  spellSet(isIn ? [...namesIn(spelled), name] : namesIn(spelled).filter((one) => one !== name));

/** A set as edits of it are compared, here as in the service: a member for each name, so that edits of other names merge. */
export const membersOf = (spelled: string): JsonObject => Object.fromEntries(namesIn(spelled).map((name) => [name, true]));

/** The reverse of membersOf. */
export const setOf = (members: Value): string => (isObject(members) ? spellSet(Object.keys(members)) : '');

/** A text among the members of a record. */
export const textOf = (value: Value): string => (typeof value === 'string' ? value : '');

/** A merge patch whose sets are given and taken from by name, as the service wants it. */
export function patchOfSets(patch: JsonObject, ...sets: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(patch).map(([name, change]) => {
      if (!sets.includes(name) || !isObject(change)) return [name, change];
      const names = Object.keys(change);
      return [name, { add: names.filter((one) => change[one] === true), remove: names.filter((one) => change[one] !== true) }];
    }),
  );
}

/** The place of one name of a set, as in pointers and in presence: "permissions/orders:read". */
export const placeOf = (set: string, name: string): string => pointerOf([set, name]).slice(1);

interface SetTexts {
  /** What the whole set is called. */
  label: string;
  /** What one of its names is called. */
  one: (name: string) => string;
  given: string;
  taken: string;
}

/** How the names of a set are read as places of a record, beside its other fields. */
export function wordsWithSet(words: Words, set: string, texts: SetTexts): Words {
  const nameAt = (pointer: string): string | undefined => {
    const [first, name] = namesOf(pointer);
    return first === set ? name : undefined;
  };
  return {
    place: (pointer) => {
      const name = nameAt(pointer);
      return name === undefined ? (pointer === `/${set}` ? texts.label : words.place(pointer)) : texts.one(name);
    },
    show: (value, pointer) => {
      if (nameAt(pointer) !== undefined) return value === true ? texts.given : texts.taken;
      return isObject(value) ? Object.keys(value).join(', ') : words.show(value, pointer);
    },
  };
}
