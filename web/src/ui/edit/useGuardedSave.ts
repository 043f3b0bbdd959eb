import { useState } from 'react';
import { useUser, versionConflict, type PersonName } from '@/api';
import { equal, exact, patchOf, threeWay, type JsonObject } from '@/merge';
import type { FieldOf, Fields } from './fields';
import type { Base, Draft, Versioned } from './useDraft';

export type Choice = 'mine' | 'theirs';

/** Fields that somebody else changed too, until each is decided. */
export interface FieldConflict<R, T> {
  current: R;
  by: PersonName;
  time: string;
  base: Base<T>;
  theirs: T;
  fields: FieldOf<T>[];
  choices: Partial<Record<FieldOf<T>, Choice>>;
}

/** Fields that others changed and that were kept. */
export interface Kept<T> {
  by: PersonName;
  fields: FieldOf<T>[];
}

export type Saved<T> = { kind: 'saved' | 'nothing'; kept: Kept<T> | undefined } | { kind: 'contested' };

interface Options<R extends Versioned, T> {
  draft: Draft<R, T>;
  read: (record: R) => T;
  /** Sends a merge patch under a tag. */
  send: (patch: JsonObject, etag: string) => Promise<R>;
}

/** How often others may be faster in one save. */
const attempts = 5;

/**
 * Saves a draft under its guard. Edits of other fields are taken over and the save is
 * repeated on them; only fields that both sides changed are left to be decided. A
 * second conflict keeps what was decided in the first: the decisions are by then what
 * was typed.
 */
export function useGuardedSave<R extends Versioned, T extends Fields>({ draft, read, send }: Options<R, T>) {
  const me = useUser().id;
  const [conflict, setConflict] = useState<FieldConflict<R, T>>();
  const [saving, setSaving] = useState(false);

  const attempt = async (from: Base<T>, typed: T): Promise<Saved<T>> => {
    let base = from;
    let value = typed;
    let kept: Kept<T> | undefined;
    for (let left = attempts; ; left--) {
      const patch = patchOf(json(base.value), json(value));
      if (Object.keys(patch).length === 0) return { kind: 'nothing', kept };
      try {
        draft.saved(await send(patch, base.etag));
        return { kind: 'saved', kept };
      } catch (error) {
        const refused = versionConflict<R>(error);
        if (refused === undefined || left === 0) throw error;
        const theirs = read(refused.current);
        // An earlier attempt of one's own, whose answer was lost.
        if (refused.updatedBy.id === me && equal(json(theirs), json(value))) {
          draft.saved(refused.current);
          return { kind: 'saved', kept };
        }
        const merge = threeWay(json(base.value), json(value), json(theirs));
        const next = { version: refused.currentVersion, etag: refused.currentEtag, value: theirs };
        if (!merge.autoMergeable) {
          const fields = merge.conflicts.map(({ pointer }) => pointer.slice(1));
          setConflict({ current: refused.current, by: refused.updatedBy, time: refused.updatedTime, base, theirs, fields, choices: {} });
          return { kind: 'contested' };
        }
        const theirFields = merge.theirsOnly.map((pointer) => pointer.slice(1));
        if (theirFields.length > 0) kept = { by: refused.updatedBy, fields: [...new Set([...(kept?.fields ?? []), ...theirFields])] };
        value = merge.merged as unknown as T;
        base = next;
        draft.rebase(refused.current, value);
      }
    }
  };

  const run = async (base: Base<T>, value: T): Promise<Saved<T>> => {
    setSaving(true);
    try {
      return await attempt(base, value);
    } finally {
      setSaving(false);
    }
  };

  return {
    saving,
    conflict,
    save: () => run(draft.base, draft.value),
    choose: (field: FieldOf<T>, choice: Choice) => setConflict((before) => before && { ...before, choices: { ...before.choices, [field]: choice } }),
    /** Saves what was decided; only once every field is. */
    resolve: (decided: FieldConflict<R, T>) => {
      const value = resolved(decided, draft.value);
      const base = { version: decided.current.version, etag: decided.current.etag, value: decided.theirs };
      setConflict(undefined);
      draft.rebase(decided.current, value);
      return run(base, value);
    },
    giveUp: () => setConflict(undefined),
  };
}

/** What the record becomes: decided where contested, merged everywhere else. */
export function resolved<T extends Fields>({ base, theirs, choices }: Pick<FieldConflict<unknown, T>, 'base' | 'theirs' | 'choices'>, mine: T): T {
  const value = (field: FieldOf<T>) => {
    if (choices[field] !== undefined) return choices[field] === 'mine' ? mine[field] : theirs[field];
    return mine[field] === base.value[field] ? theirs[field] : mine[field];
  };
  return Object.fromEntries((Object.keys(mine) as FieldOf<T>[]).map((field) => [field, value(field)])) as unknown as T;
}

const json = (value: Fields) => exact(value) as JsonObject;
