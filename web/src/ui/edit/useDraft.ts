import { useEffect, useRef, useState } from 'react';
import { diff, encode, equal, exact, parse, type Choices } from '@/merge';
import { fitted } from './fitted';
import { useSlot, type Slot } from './slot';

/** What every versioned record carries. */
export interface Versioned {
  version: number;
  etag: string;
}

/** The record as it was when the editing began; nothing in the background moves it. */
interface Base<T> extends Versioned {
  value: T;
}

export interface Draft<R extends Versioned, T> {
  base: Base<T>;
  value: T;
  setValue: (value: T | ((before: T) => T)) => void;
  /** What was chosen for places that others changed too. */
  choices: Choices;
  choose: (choices: Choices) => void;
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
  /** What was typed waits elsewhere: goes on with another form on the same version, nothing chosen in it. */
  proposed: (value: T) => void;
  /** Throws away what was typed. */
  discard: () => void;
  /** Where it is kept, and what was sent of it without an answer. */
  slot: Slot;
  sent: unknown;
  key: string | undefined;
}

interface Options<R extends Versioned, T> {
  /** Path of the record: "configs/checkout.tax". */
  resource: string;
  /** What people call it. */
  title: string;
  /** The record as it was last read. */
  current: R;
  /** What of the record is edited. Plain data, JSON. */
  read: (record: R) => T;
  /** Whether what is in it is kept by no browser. */
  isSecret?: ((value: T) => boolean) | undefined;
}

/** What is kept of an edit beside its base. Choices hold numbers as they were spelled, so they are kept as text. */
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
  /** Tags of earlier bases: a late read of one of them is no news, nor a row made anew. */
  passed: readonly string[];
}

/**
 * The contents of a form, which survive a reload, a crash, the end of the session and
 * the closing of the tab: every change is kept in this browser with the version that
 * it began from, and found again when the record is next opened by the same user.
 *
 * With nothing typed the form follows the record. Once something is, its base stands
 * still, `newer` says that others went on, and saving is left to the guard. Only a form
 * that has held the draft gives it up: one that was always clean has none.
 */
export function useDraft<R extends Versioned, T>({ resource, title, current, read, isSecret }: Options<R, T>): Draft<R, T> {
  const { kept, slot } = useSlot(resource, title);
  const [state, setState] = useState<State<T>>(() => restore(kept, read(current)) ?? fresh(current, read));
  const held = useRef(kept !== undefined);
  const isDirty = !same(state.base.value, state.value);

  if (!isDirty && isAhead(current, state)) {
    const next = fresh(current, read, state);
    setState({ ...next, followed: diff(exact(state.base.value), exact(next.value)).map(({ pointer }) => pointer) });
  }

  const { base, value, choices } = state;
  const conceals = isSecret !== undefined && (isSecret(base.value) || isSecret(value));
  useEffect(() => {
    slot.conceal(conceals);
  }, [slot, conceals]);
  useEffect(() => {
    const now = { base, value: { value, choices } satisfies Edited<T> };
    const before = slot.get();
    // What was only opened again is as old as it was.
    if (isDirty && !same({ base: before?.base, value: before?.value }, now)) slot.put(now);
    else if (!isDirty && held.current) slot.drop();
    held.current = isDirty;
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
    saved: (record) => setState((before) => fresh(record, read, before)),
    rebase: (record, merged) => setState((before) => ({ ...fresh(record, read, before), value: merged })),
    proposed: (next) => setState((before) => ({ ...before, value: next, choices: '', restored: undefined, followed: [] })),
    discard: () =>
      setState(isAhead(current, state) ? fresh(current, read, state) : { ...state, value: base.value, choices: '', restored: undefined, followed: [] }),
    slot,
    sent: kept?.sent,
    key: kept?.key,
  };
}

/** A record read before the last save comes late and is no news; a row made anew is. */
function isAhead(record: Versioned, { base, passed }: State<unknown>): boolean {
  return record.etag !== base.etag && !passed.includes(record.etag) && (record.version >= base.version || record.version === 1);
}

function fresh<R extends Versioned, T>(record: R, read: (record: R) => T, before?: State<T>): State<T> {
  const value = read(record);
  const passed = before === undefined ? [] : [...before.passed, before.base.etag].filter((etag) => etag !== record.etag);
  return { base: { version: record.version, etag: record.etag, value }, value, choices: '', followed: [], passed };
}

function restore<T>(kept: ReturnType<Slot['get']>, now: T): State<T> | undefined {
  const edited = kept?.value as Edited<T> | undefined;
  const base = kept?.base as Base<T> | undefined;
  if (kept === undefined || edited === undefined || base === undefined) return undefined;
  const [value, before] = [fitted(edited.value, now), fitted(base.value, now)];
  return { base: { ...base, value: before }, value, choices: edited.choices, restored: kept.at, followed: [], passed: [] };
}

/** What was typed into a record that may be gone by now; undefined when nothing is kept. */
export const typedInto = (kept: ReturnType<Slot['get']>): unknown => (kept?.value as Edited<unknown> | undefined)?.value;

function same(a: unknown, b: unknown): boolean {
  return a === b || equal(exact(a), exact(b));
}
