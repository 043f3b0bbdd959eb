import { byCodePoint, isObject, namesOf, pointerOf, type Edit, type JsonObject, type Value } from '@/merge';
import type { Labels } from '@/ui';

/**
 * Serializes a set of names as one form value: one name per line, sorted. Names contain no line
 * breaks, because the service rejects control characters in them.
 */
export const spellSet = (names: readonly string[]): string => [...new Set(names)].sort(byCodePoint).join('\n');

export const namesIn = (spelled: string): string[] => (spelled === '' ? [] : spelled.split('\n'));

/** Adds a name to the set or removes it. */
export const withName = (spelled: string, name: string, isIn: boolean): string =>
  spellSet(isIn ? [...namesIn(spelled), name] : namesIn(spelled).filter((one) => one !== name));

/**
 * Converts a set to the object in which edits are compared, as in the service: one member per name,
 * so that edits of different names merge.
 */
export const membersOf = (spelled: string): JsonObject => Object.fromEntries(namesIn(spelled).map((name) => [name, true]));

/** The reverse of membersOf. */
export const setOf = (members: Value): string => (isObject(members) ? spellSet(Object.keys(members)) : '');

/** Returns a member of a record as text; empty if it is not text. */
export const textOf = (value: Value): string => (typeof value === 'string' ? value : '');

/** Converts the sets of a merge patch to the service's form: names to add and names to remove. */
export function patchOfSets(edit: Edit, ...sets: string[]): Edit {
  if (Array.isArray(edit)) return edit;
  return Object.fromEntries(
    Object.entries(edit).map(([name, change]) => {
      if (!sets.includes(name) || !isObject(change)) return [name, change];
      const names = Object.keys(change);
      return [name, { add: names.filter((one) => change[one] === true), remove: names.filter((one) => change[one] !== true) }];
    }),
  );
}

/** The field of one name of a set, for pointers and presence: "permissions/orders:read". */
export const pathOf = (set: string, name: string): string => pointerOf([set, name]).slice(1);

interface SetTexts {
  /** The label of the complete set. */
  label: string;
  /** The label of one name. */
  one: (name: string) => string;
  given: string;
  taken: string;
}

/** Adds the labels of a set's names to those of the other fields. */
export function wordsWithSet(labels: Labels, set: string, texts: SetTexts): Labels {
  const nameAt = (pointer: string): string | undefined => {
    const [first, name] = namesOf(pointer);
    return first === set ? name : undefined;
  };
  return {
    field: (pointer) => {
      const name = nameAt(pointer);
      return name === undefined ? (pointer === `/${set}` ? texts.label : labels.field(pointer)) : texts.one(name);
    },
    show: (value, pointer) => {
      if (nameAt(pointer) !== undefined) return value === true ? texts.given : texts.taken;
      return isObject(value) ? Object.keys(value).join(', ') : labels.show(value, pointer);
    },
  };
}
