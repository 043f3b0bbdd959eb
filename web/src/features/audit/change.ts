import type { Contents } from '@/features/descriptor';
import { diff, exact, isObject, type Change, type Json, type JsonObject } from '@/merge';
import type { AuditEntry } from './queries';

/** The detail of an audit entry. Domains write different members; this type names the known ones. */
export interface Detail {
  /** The record before and after the action. `before` is undefined for a creation, `after` for a deletion. */
  before: JsonObject | undefined;
  after: JsonObject | undefined;
  /** The versions of a config; its history contains their contents. */
  versions: { from: number; to: number } | undefined;
  /** The values of other users that were overwritten on purpose. */
  destroyed: JsonObject | undefined;
  /** All other members, by name. */
  rest: [name: string, value: Json][];
}

/** The members that have a separate presentation. */
const knownMembers = new Set(['before', 'after', 'content', 'terms', 'destroyed', 'changed', 'fromVersion', 'toVersion']);

export function detailOf({ detail, action }: Pick<AuditEntry, 'detail' | 'action'>): Detail {
  const members = exact(detail);
  const all = isObject(members) ? members : {};
  const object = (name: string) => {
    const value = all[name];
    return isObject(value) ? value : undefined;
  };
  const [from, to] = ['fromVersion', 'toVersion'].map((name) => (typeof all[name] === 'number' ? all[name] : undefined));
  const whole = object('content') ?? object('terms');
  const isGone = action.endsWith('.delete');
  return {
    before: object('before') ?? (isGone ? whole : undefined),
    after: object('after') ?? (isGone ? undefined : whole),
    versions: to === undefined || from === undefined || from === 0 || isGone ? undefined : { from, to },
    destroyed: object('destroyed'),
    rest: Object.entries(all).filter((member): member is [string, Json] => !knownMembers.has(member[0])),
  };
}

/** The differences that an entry itself contains. */
export function changesIn({ before, after }: Detail, { read = (record) => record }: Contents): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  return diff(before === undefined ? {} : read(before), after === undefined ? {} : read(after));
}
