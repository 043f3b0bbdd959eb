import { changesAt } from './diff';
import { equal } from './equal';
import { emptyObject, isObject, member, type Json, type JsonObject, type Value } from './json';
import { byCodePoint, pointerOf } from './pointer';

/** A value that both sides changed. `base`, `yours` or `theirs` is undefined if the value is absent there. */
export interface Conflict {
  pointer: string;
  base: Value;
  yours: Value;
  theirs: Value;
}

export interface Result {
  conflicts: Conflict[];
  theirsOnly: string[];
  yoursOnly: string[];
  /** Whether there are no conflicts. */
  autoMergeable: boolean;
  /** The document with both edits; undefined if there are conflicts. */
  merged: Value;
}

/**
 * Compares two edits of base: yours, which is to be saved, and theirs, which is already saved. It
 * agrees with the service's merge on every case in api/merge-cases.json.
 *
 * A value is in conflict if both sides changed it since base, even to the same value: two users who
 * both raise a counter from 1 to 2 may have meant 3, and only they can decide. It is also in
 * conflict if one side changed a member of a value that the other side replaced or removed. The
 * conflict then has the pointer of the complete value, the shorter one.
 */
export function threeWay(base: Json, yours: Json, theirs: Json): Result {
  const result: Result = { conflicts: [], theirsOnly: [], yoursOnly: [], autoMergeable: true, merged: undefined };
  const merged = mergeAt(result, [], base, yours, theirs);
  result.conflicts.sort((a, b) => byCodePoint(a.pointer, b.pointer));
  result.theirsOnly.sort(byCodePoint);
  result.yoursOnly.sort(byCodePoint);
  result.autoMergeable = result.conflicts.length === 0;
  if (result.autoMergeable) result.merged = merged;
  return result;
}

/** Merges one value. Objects on all three sides are merged member by member, every other value as a whole. */
function mergeAt(result: Result, names: readonly string[], base: Value, yours: Value, theirs: Value): Value {
  if (isObject(base) && isObject(yours) && isObject(theirs)) return mergeObjects(result, names, base, yours, theirs);

  const yoursChanged = !equal(base, yours);
  const theirsChanged = !equal(base, theirs);
  if (yoursChanged && theirsChanged) {
    result.conflicts.push({ pointer: pointerOf(names), base, yours, theirs });
    return undefined;
  }
  if (yoursChanged) {
    result.yoursOnly.push(...changesAt(names, base, yours).map((change) => change.pointer));
    return yours;
  }
  result.theirsOnly.push(...changesAt(names, base, theirs).map((change) => change.pointer));
  return theirs;
}

function mergeObjects(result: Result, names: readonly string[], base: JsonObject, yours: JsonObject, theirs: JsonObject): JsonObject {
  const merged = emptyObject();
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(yours), ...Object.keys(base)])) {
    const value = mergeAt(result, [...names, name], member(base, name), member(yours, name), member(theirs, name));
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}
