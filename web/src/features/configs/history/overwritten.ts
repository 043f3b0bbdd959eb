import { at, equal, isObject, namesOf, type Change, type Json, type JsonObject, type Value } from '@/merge';
import { contentOfConfig } from '../editor/form';
import type { ConfigRevision } from '../queries';
import { livesOf } from './lives';

/** A change of the user that another user overwrote. */
export interface Overwritten {
  /** The version that overwrote the change. It contains the author, the time, and the reason in its note. */
  by: ConfigRevision;
  /** The latest version of the current user that contained a lost value. */
  mine: ConfigRevision;
  /** The values that are still lost, each with the user's value and the current one. */
  lost: readonly Change[];
}

/**
 * Finds the values of the current user that another user overwrote, in the versions of a key,
 * newest first. Returns undefined if no value is lost any more, or if the current user has saved
 * the config since, and therefore saw the change.
 */
export function overwrittenOf(revisions: readonly ConfigRevision[], me: number): Overwritten | undefined {
  const [life = []] = livesOf(revisions);
  const [current] = life;
  const place = life.findIndex(({ revision }) => revision.action === 'overwrite' || revision.changedBy.id === me);
  const by = life[place]?.revision;
  const before = life[place + 1]?.revision;
  if (current === undefined || by === undefined || before === undefined || by.action !== 'overwrite' || by.changedBy.id === me) return undefined;
  const [stood, took, now] = [before, by, current.revision].map(contentOfConfig);
  const isLost = ({ pointer, after }: Change) => equalAt(stood, pointer, after) && !equalAt(took, pointer, after) && !equalAt(now, pointer, after);
  const ofMine = life.slice(place + 1).filter(({ revision }) => revision.changedBy.id === me);
  const lost = new Map<string, Change>();
  for (const { changes } of ofMine) {
    for (const change of changes ?? []) {
      if (isLost(change) && !lost.has(change.pointer)) lost.set(change.pointer, { ...change, before: at(now, change.pointer) });
    }
  }
  const mine = ofMine.find(({ changes }) => changes?.some(({ pointer }) => lost.has(pointer)))?.revision;
  return mine === undefined ? undefined : { by, mine, lost: [...lost.values()] };
}

function equalAt(content: Value, pointer: string, value: Value): boolean {
  const there = at(content, pointer);
  return there === undefined || value === undefined ? there === value : equal(there, value);
}

/** Restores lost values in a content. */
export const withLost = (content: JsonObject, lost: readonly Change[]): JsonObject =>
  lost.reduce<Json>((changed, { pointer, after }) => put(changed, namesOf(pointer), after), content) as JsonObject;

function put(value: Value, [name, ...inner]: readonly string[], mine: Value): Json {
  if (name === undefined) return mine ?? null;
  const members: Record<string, Value> = isObject(value) ? { ...value } : {};
  if (inner.length === 0 && mine === undefined) Reflect.deleteProperty(members, name);
  else members[name] = put(members[name], inner, mine);
  return members as JsonObject;
}
