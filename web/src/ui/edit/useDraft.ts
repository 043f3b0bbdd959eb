import { useEffect, useRef, useState } from 'react';
import { diff, encode, equal, exact, parse, type Choices } from '@/merge';
import { upgradeInput } from './upgradeInput';
import { useSlot, type Slot } from './slot';

/** The members that every versioned record has. */
export interface Versioned {
  version: number;
  etag: string;
}

/** The record at the start of the edit; background refetches do not change it. */
interface Base<T> extends Versioned {
  value: T;
}

export interface Draft<R extends Versioned, T> {
  base: Base<T>;
  value: T;
  setValue: (value: T | ((before: T) => T)) => void;
  /** The choices for fields that others changed too. */
  choices: Choices;
  choose: (choices: Choices) => void;
  /** The value differs from the base. */
  isDirty: boolean;
  /** When the restored draft last changed, in ms since 1970; undefined for input of this visit. */
  restored: number | undefined;
  /** The latest version of the record if others changed it during the edit. */
  newer: R | undefined;
  /** JSON Pointers of the changes by others that an unedited form applied. */
  followed: readonly string[];
  /** Sets a saved record as the base and the value. */
  saved: (record: R) => void;
  /** Sets a new base and the input merged into it. */
  rebase: (record: R, value: T) => void;
  /** Sets the value after the edit became a proposal. The base stays, and the choices are removed. */
  proposed: (value: T) => void;
  discard: () => void;
  /** The slot of the draft, and its pending request. */
  slot: Slot;
  sent: unknown;
  key: string | undefined;
}

interface Options<R extends Versioned, T> {
  /** The path of the record, such as "configs/checkout.tax". */
  resource: string;
  /** The displayed name. */
  title: string;
  /** The latest version of the record. */
  current: R;
  /** The edited part of the record. Plain data, JSON. */
  read: (record: R) => T;
  /** Whether the value is secret, so that no draft is stored. */
  isSecret?: ((value: T) => boolean) | undefined;
}

/** The stored part of an edit, without its base. Choices are encoded, so that numbers stay exact. */
interface Edited<T> {
  value: T;
  choices: string;
}

interface State<T> {
  base: Base<T>;
  value: T;
  choices: string;
  restored?: number | undefined;
  followed: readonly string[];
  /** The ETags of earlier bases. A late read with one of them is not a newer or recreated record. */
  passed: readonly string[];
}

/**
 * The value of a form. It survives a reload, a crash, the end of the session and the closing of the
 * tab: each change is stored in this browser with its base version and restored when the same user
 * opens the record again.
 *
 * An unedited form follows the record. The first edit fixes its base; `newer` then contains a
 * later version, and a save over that version conflicts. Only a form that had a draft deletes it.
 */
export function useDraft<R extends Versioned, T>({ resource, title, current, read, isSecret }: Options<R, T>): Draft<R, T> {
  const { stored, slot } = useSlot(resource, title);
  const [state, setState] = useState<State<T>>(() => restore(stored, read(current)) ?? unedited(current, read));
  const hadDraft = useRef(stored !== undefined);
  const isDirty = !same(state.base.value, state.value);

  if (!isDirty && isAhead(current, state)) {
    const next = unedited(current, read, state);
    setState({ ...next, followed: diff(exact(state.base.value), exact(next.value)).map(({ pointer }) => pointer) });
  }

  const { base, value, choices } = state;
  const isSecretNow = isSecret !== undefined && (isSecret(base.value) || isSecret(value));
  useEffect(() => {
    slot.setSecret(isSecretNow);
  }, [slot, isSecretNow]);
  useEffect(() => {
    const now = { base, value: { value, choices } satisfies Edited<T> };
    const before = slot.get();
    // Restoring a draft does not change the time of the draft.
    if (isDirty && !same({ base: before?.base, value: before?.value }, now)) slot.put(now);
    else if (!isDirty && hadDraft.current) slot.drop();
    hadDraft.current = isDirty;
  }, [slot, isDirty, base, value, choices]);

  return {
    base,
    value,
    choices: choices === '' ? {} : (parse(choices) as unknown as Choices),
    choose: (next) => setState((before) => ({ ...before, choices: Object.keys(next).length === 0 ? '' : encode(exact(next)) })),
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
    saved: (record) => setState((before) => unedited(record, read, before)),
    rebase: (record, merged) => setState((before) => ({ ...unedited(record, read, before), value: merged })),
    proposed: (next) => setState((before) => ({ ...before, value: next, choices: '', restored: undefined, followed: [] })),
    discard: () =>
      setState(isAhead(current, state) ? unedited(current, read, state) : { ...state, value: base.value, choices: '', restored: undefined, followed: [] }),
    slot,
    sent: stored?.sent,
    key: stored?.key,
  };
}

/** Whether a record is newer than the base, or was recreated. A read from before the last save is neither. */
function isAhead(record: Versioned, { base, passed }: State<unknown>): boolean {
  return record.etag !== base.etag && !passed.includes(record.etag) && (record.version >= base.version || record.version === 1);
}

function unedited<R extends Versioned, T>(record: R, read: (record: R) => T, before?: State<T>): State<T> {
  const value = read(record);
  const passed = before === undefined ? [] : [...before.passed, before.base.etag].filter((etag) => etag !== record.etag);
  return { base: { version: record.version, etag: record.etag, value }, value, choices: '', followed: [], passed };
}

function restore<T>(stored: ReturnType<Slot['get']>, now: T): State<T> | undefined {
  const edited = stored?.value as Edited<T> | undefined;
  const base = stored?.base as Base<T> | undefined;
  if (stored === undefined || edited === undefined || base === undefined) return undefined;
  const [value, before] = [upgradeInput(edited.value, now), upgradeInput(base.value, now)];
  return { base: { ...base, value: before }, value, choices: edited.choices, restored: stored.at, followed: [], passed: [] };
}

/** The form value in a stored draft, for a record that may be deleted; undefined without a draft. */
export const draftValueOf = (stored: ReturnType<Slot['get']>): unknown => (stored?.value as Edited<unknown> | undefined)?.value;

function same(a: unknown, b: unknown): boolean {
  return a === b || equal(exact(a), exact(b));
}
