import { at, equal, isObject, namesOf, type Change, type Json, type JsonObject, type Value } from '@/merge';
import { contentOfConfig } from '../editor/form';
import type { ConfigRevision } from '../queries';
import { livesOf } from './lives';

/** What somebody else took away on purpose. */
export interface Overwritten {
  /** The version that did it: who, when, and as its note why. */
  by: ConfigRevision;
  /** One's own newest version that lost something. */
  mine: ConfigRevision;
  /** The places that are lost until now: what one had put there, and what stands there. */
  lost: readonly Change[];
}

/**
 * Tells what one had saved and somebody else overwrote, from the versions of a key, newest
 * first; undefined when nothing of it is lost any more, or one has saved the config since
 * and so has seen it.
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

/** A content with what was lost put back in its places. */
export const withLost = (content: JsonObject, lost: readonly Change[]): JsonObject =>
  lost.reduce<Json>((changed, { pointer, after }) => put(changed, namesOf(pointer), after), content) as JsonObject;

function put(value: Value, [name, ...inner]: readonly string[], mine: Value): Json {
  if (name === undefined) return mine ?? null;
  const members: Record<string, Value> = isObject(value) ? { ...value } : {};
  if (inner.length === 0 && mine === undefined) Reflect.deleteProperty(members, name);
  else members[name] = put(members[name], inner, mine);
  return members as JsonObject;
}
