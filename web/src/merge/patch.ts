import { equal } from './equal';
import { emptyObject, isObject, member, type Json, type JsonObject, type Value } from './json';

/** Applies a JSON Merge Patch (RFC 7396, section 2) and returns the result. */
export function applyPatch(doc: Value, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = emptyObject();
  if (isObject(doc)) Object.assign(result, doc);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = applyPatch(member(result, name), value);
  }
  return result;
}

/**
 * Returns the smallest merge patch from base to edited. If a value is an object on both sides, the
 * patch contains only the changed members, so that a stale edit conflicts only in them. Every other
 * changed value is sent as a whole, and a removed member as null. The patch is empty if nothing
 * changed.
 */
export function patchOf(base: JsonObject, edited: JsonObject): JsonObject {
  const patch = emptyObject();
  for (const name of new Set([...Object.keys(base), ...Object.keys(edited)])) {
    const before = member(base, name);
    const after = member(edited, name);
    if (equal(before, after)) continue;
    patch[name] = isObject(before) && isObject(after) ? patchOf(before, after) : (after ?? null);
  }
  return patch;
}

/** A merge patch, or the operations of a JSON Patch (RFC 6902). */
export type Edit = JsonObject | JsonObject[];

/** The edit from base to edited: a merge patch, or a JSON Patch if a merge patch would remove a member that is set to null. */
export const editOf = (base: JsonObject, edited: JsonObject): Edit => (isPatchable(base, edited) ? patchOf(base, edited) : operationsOf(base, edited));

/** Returns the operations from base to edited. If a value is an object on both sides, each changed member has an operation. */
function operationsOf(base: JsonObject, edited: JsonObject, at = ''): JsonObject[] {
  return [...new Set([...Object.keys(base), ...Object.keys(edited)])].flatMap((name) => {
    const before = member(base, name);
    const after = member(edited, name);
    const path = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (equal(before, after)) return [];
    if (after === undefined) return [{ op: 'remove', path }];
    return isObject(before) && isObject(after) ? operationsOf(before, after, path) : [{ op: 'add', path, value: after }];
  });
}

/** Whether a merge patch can express the edit. A merge patch cannot set a member to null. */
export function isPatchable(base: JsonObject, edited: JsonObject): boolean {
  return equal(applyPatch(base, patchOf(base, edited)), edited);
}
