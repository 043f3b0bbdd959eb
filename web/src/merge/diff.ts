import { equal } from './equal';
import { isObject, member, type Json, type Value } from './json';
import { byCodePoint, pointerOf } from './pointer';

/** One difference. `before` or `after` is undefined if the value is absent there. */
export interface Change {
  pointer: string;
  before: Value;
  after: Value;
}

/**
 * Lists the differences between base and other at the finest level. Objects on both sides are
 * compared member by member; everything else is compared as a complete value. An object that was
 * added or removed is one change.
 */
export function diff(base: Json, other: Json): Change[] {
  return changesAt([], base, other).sort((a, b) => byCodePoint(a.pointer, b.pointer));
}

/** The changes below a path, unordered. */
export function changesAt(names: readonly string[], before: Value, after: Value): Change[] {
  if (!isObject(before) || !isObject(after)) {
    return equal(before, after) ? [] : [{ pointer: pointerOf(names), before, after }];
  }
  const all = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...all].flatMap((name) => changesAt([...names, name], member(before, name), member(after, name)));
}
