import { equal } from './equal';
import { isObject, member, type Json, type Value } from './json';
import { byCodePoint, pointerOf } from './pointer';

/** One place that differs. A side is undefined where it does not have the place. */
export interface Change {
  pointer: string;
  before: Value;
  after: Value;
}

/**
 * Lists the places at which other differs from base, at the finest level: a member
 * of an object that both have is compared member by member, anything else as a
 * whole. An object that appears or vanishes is one place, its own.
 */
export function diff(base: Json, other: Json): Change[] {
  return changesAt([], base, other).sort((a, b) => byCodePoint(a.pointer, b.pointer));
}

/** The changes below a place, in no order. */
export function changesAt(names: readonly string[], before: Value, after: Value): Change[] {
  if (!isObject(before) || !isObject(after)) {
    return equal(before, after) ? [] : [{ pointer: pointerOf(names), before, after }];
  }
  const all = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...all].flatMap((name) => changesAt([...names, name], member(before, name), member(after, name)));
}
