import { equal } from './equal';
import { encode, isObject, type Json, type JsonObject, type Value } from './json';
import { at, namesOf, pointerOf } from './pointer';
import { threeWay, type Conflict } from './threeWay';

/** The user's choice for a conflict. `theirs` stores the chosen value, since the other side may change it again. */
export type Choice = { kind: 'yours' } | { kind: 'theirs'; taken: Value } | { kind: 'other'; value: Json };
export type Choices = Readonly<Record<string, Choice>>;

export interface Contested extends Conflict {
  choice: Choice | undefined;
}

export interface Resolution {
  contested: Contested[];
  /** Lists in which both sides only added and removed items; they are merged as sets. */
  sets: (Conflict & { merged: Json[] })[];
  theirsOnly: string[];
  yoursOnly: string[];
  /** The document to save; undefined while a conflict waits for a choice. */
  merged: JsonObject | undefined;
}

/**
 * Merges two edits of base. Choices are stored by pointer, so that they survive a further change by
 * other users. A choice of `theirs` is needed again if the other side has changed the value since.
 */
export function resolve(base: JsonObject, yours: JsonObject, theirs: JsonObject, choices: Choices): Resolution {
  const { conflicts, theirsOnly, yoursOnly } = threeWay(base, yours, theirs);
  const sets: Resolution['sets'] = [];
  const contested: Contested[] = [];
  let [decidedBase, decided]: Value[] = [base, yours];
  for (const conflict of conflicts) {
    const { pointer } = conflict;
    const set = mergeSets(conflict);
    const choice = set === undefined ? standing(choices[pointer], conflict) : undefined;
    if (set === undefined) contested.push({ ...conflict, choice });
    else sets.push({ ...conflict, merged: set });
    // In a base with their value, only the chosen value is a change, so that it cannot conflict.
    decidedBase = place(decidedBase, namesOf(pointer), conflict.theirs);
    decided = place(decided, namesOf(pointer), set ?? chosen(choice, conflict));
  }
  const open = contested.some(({ choice }) => choice === undefined);
  const merged = open || !isObject(decidedBase) || !isObject(decided) ? undefined : threeWay(decidedBase, decided, theirs).merged;
  return { contested, sets, theirsOnly, yoursOnly, merged: isObject(merged) ? merged : undefined };
}

function standing(choice: Choice | undefined, { theirs }: Conflict): Choice | undefined {
  return choice?.kind === 'theirs' && !equal(choice.taken, theirs) ? undefined : choice;
}

function chosen(choice: Choice | undefined, { yours, theirs }: Conflict): Value {
  if (choice?.kind === 'yours') return yours;
  return choice?.kind === 'other' ? choice.value : theirs;
}

/** The value with a member set, or removed if `to` is undefined. */
function place(value: Value, [name, ...rest]: readonly string[], to: Value): Value {
  if (name === undefined) return to;
  const copy = Object.assign(Object.create(null) as JsonObject, isObject(value) ? value : {});
  const inner = place(isObject(value) ? at(value, pointerOf([name])) : undefined, rest, to);
  if (inner === undefined) Reflect.deleteProperty(copy, name);
  else copy[name] = inner;
  return copy;
}

/** Merges the lists of both sides as sets. Returns undefined unless all three lists are sets of scalars and neither side moved an item. */
function mergeSets({ base, yours, theirs }: Conflict): Json[] | undefined {
  if (!isSet(base) || !isSet(yours) || !isSet(theirs)) return undefined;
  if (!preservesOrder(base, yours) || !preservesOrder(base, theirs)) return undefined;
  const inBoth = theirs.filter((item) => has(yours, item) || !has(base, item));
  return [...inBoth, ...yours.filter((item) => !has(base, item) && !has(inBoth, item))];
}

function isSet(value: Value): value is Json[] {
  if (!Array.isArray(value) || value.some((item) => Array.isArray(item) || isObject(item))) return false;
  return new Set(value.map((item) => encode(item))).size === value.length;
}

export const has = (list: readonly Json[], item: Json) => list.some((other) => equal(other, item));

/** Whether edited starts with all items of base that it contains, in the order of base. */
function preservesOrder(base: Json[], edited: Json[]): boolean {
  const left = base.filter((item) => has(edited, item));
  return left.every((item, index) => equal(item, edited[index]));
}
