import { changesAt } from './diff';
import { equal } from './equal';
import { emptyObject, isObject, member, type Json, type JsonObject, type Value } from './json';
import { byCodePoint, pointerOf } from './pointer';

/** A contested place. A side is undefined where it does not have the place. */
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
  /** True exactly when there are no conflicts. */
  autoMergeable: boolean;
  /** Carries both edits; undefined when places are contested. */
  merged: Value;
}

/**
 * Compares two edits of base: yours, which is to be saved, and theirs, which was
 * saved meanwhile. It agrees with the service's merge on every case in
 * api/merge-cases.json.
 *
 * A place is contested when both sides changed it since base, even to the same
 * value: two who both raise a counter from 1 to 2 meant it to be 3, and only they
 * can say so. It is also contested when one side changed something inside a value
 * that the other replaced or removed as a whole; the conflict then stands at the
 * whole value, the shorter pointer.
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

/**
 * Descends while all three sides are objects. Where they are not, the place is the
 * smallest that can be decided as a whole.
 */
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
