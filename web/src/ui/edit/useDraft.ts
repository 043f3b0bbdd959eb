import { useEffect, useState } from 'react';
import { useUser } from '@/api';
import { forget, recall, remember } from '@/browser/storage';
import { diff, equal, exact } from '@/merge';

/** What every versioned record carries. */
export interface Versioned {
  version: number;
  etag: string;
}

/** The record as it was when the editing began; nothing in the background moves it. */
export interface Base<T> extends Versioned {
  value: T;
}

export interface Draft<R extends Versioned, T> {
  base: Base<T>;
  value: T;
  setValue: (value: T | ((before: T) => T)) => void;
  /** Something was changed since base. */
  isDirty: boolean;
  /** When what is shown was typed, if it comes from an earlier visit; ms since 1970. */
  restored: number | undefined;
  /** The record as others have changed it while this draft was being edited. */
  newer: R | undefined;
  /** Pointers of what others changed when the form, with nothing typed, followed them. */
  followed: readonly string[];
  /** A save was answered: it is the new base, and nothing is dirty. */
  saved: (record: R) => void;
  /** Goes on from another version with what was typed merged into it. */
  rebase: (record: R, value: T) => void;
  /** Throws away what was typed. */
  discard: () => void;
}

interface Options<R extends Versioned, T> {
  /** Path of the record: "configs/checkout.tax". */
  resource: string;
  /** The record as it was last read. */
  current: R;
  /** What of the record is edited. Plain data, JSON. */
  read: (record: R) => T;
}

interface Kept<T> {
  base: Base<T>;
  value: T;
  typed: number;
}

interface State<T> {
  base: Base<T>;
  value: T;
  restored?: number | undefined;
  followed: readonly string[];
  /** Tags of earlier bases: a late read of one of them is no news, nor a row made anew. */
  passed: readonly string[];
}

/**
 * The contents of a form, which survive a reload, a crash, the end of the session and
 * the closing of the tab: every change is kept in this browser with the version that
 * it began from, and found again when the record is next opened by the same user.
 *
 * With nothing typed the form follows the record. Once something is, its base stands
 * still, `newer` says that others went on, and saving is left to the guard.
 */
export function useDraft<R extends Versioned, T>({ resource, current, read }: Options<R, T>): Draft<R, T> {
  const user = useUser();
  const storedAs = draftName(user.id, resource);
  const [state, setState] = useState<State<T>>(() => restore<T>(storedAs) ?? fresh(current, read));
  const isDirty = !same(state.base.value, state.value);

  if (!isDirty && isAhead(current, state)) {
    const next = fresh(current, read, state);
    setState({ ...next, followed: diff(exact(state.base.value), exact(next.value)).map(({ pointer }) => pointer) });
  }

  const { base, value } = state;
  useEffect(() => {
    if (isDirty) remember(storedAs, JSON.stringify({ base, value, typed: Date.now() } satisfies Kept<T>));
    else forget(storedAs);
  }, [storedAs, isDirty, base, value]);

  return {
    base,
    value,
    isDirty,
    restored: isDirty ? state.restored : undefined,
    newer: isDirty && isAhead(current, state) ? current : undefined,
    followed: state.followed,
    setValue: (change) =>
      setState((before) => ({
        ...before,
        followed: [],
        value: typeof change === 'function' ? (change as (before: T) => T)(before.value) : change,
      })),
    saved: (record) => setState((before) => fresh(record, read, before)),
    rebase: (record, merged) => setState((before) => ({ ...fresh(record, read, before), value: merged })),
    discard: () => setState(isAhead(current, state) ? fresh(current, read, state) : { ...state, value: base.value, restored: undefined, followed: [] }),
  };
}

const draftName = (userId: number, resource: string) => `interlock.draft.${userId}.${resource}`;

/** What a user typed into a record that may be gone by now; undefined when nothing is kept. */
export function keptDraft(userId: number, resource: string): unknown {
  return restore(draftName(userId, resource))?.value;
}

/** Forgets what a user typed into a record that is gone. */
export function forgetDraft(userId: number, resource: string): void {
  forget(draftName(userId, resource));
}

/** A record read before the last save comes late and is no news; a row made anew is. */
function isAhead(record: Versioned, { base, passed }: State<unknown>): boolean {
  return record.etag !== base.etag && !passed.includes(record.etag) && (record.version >= base.version || record.version === 1);
}

function fresh<R extends Versioned, T>(record: R, read: (record: R) => T, before?: State<T>): State<T> {
  const value = read(record);
  const passed = before === undefined ? [] : [...before.passed, before.base.etag].filter((etag) => etag !== record.etag);
  return { base: { version: record.version, etag: record.etag, value }, value, followed: [], passed };
}

function restore<T>(name: string): State<T> | undefined {
  try {
    const kept = JSON.parse(recall(name) ?? 'null') as Kept<T> | null;
    if (kept === null) return undefined;
    return { base: kept.base, value: kept.value, restored: kept.typed, followed: [], passed: [] };
  } catch {
    return undefined;
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || equal(exact(a), exact(b));
}
