import { useEffect, useRef, useState } from 'react';
import { randomId } from '@/browser/id';
import { equal, exact } from '@/merge';
import { useToasts } from '../feedback/toasts';
import { fitted } from './fitted';
import { useSlot } from './slot';
import { useKeyed, type KeyedMutation, type KeyedOptions, type Outcome } from './useKeyedMutation';

interface Options<F, R> extends KeyedOptions<F, R> {
  /** The form as it opens, with nothing typed. */
  open: () => F;
  /** What was typed earlier, as it opens again: what it counted from may have moved. */
  reopen?: (typed: F) => F;
  /** Whether what is typed can be sent. */
  isComplete?: (form: F) => boolean;
  /** Whether what is typed is secret, so that the browser keeps no draft of it. */
  isSecret?: (form: F) => boolean;
  /** Adds what it stands on at the moment that it is sent: the tag of a version. */
  seal?: (form: F) => F;
}

export interface KeyedForm<F> {
  form: F;
  change: (part: Partial<F>) => void;
  /** Something was typed. */
  isTouched: boolean;
  /** When what is shown was typed, if it comes from an earlier visit; ms since 1970. */
  restored: number | undefined;
  /** Throws away what was typed, and asks no more for what was sent; does nothing while a request is in flight. */
  discard: () => void;
  /** Sends what is typed once it is complete, or asks again for what was sent. */
  submit: () => void;
  /** Somebody tried to send what is typed: now say what is missing. */
  strict: boolean;
  key: string | undefined;
  outcome: Outcome;
  /** Why it was refused, or not answered. */
  error: Error | null;
  /** It is on its way or its outcome is not known: nothing of it can be changed. */
  isFixed: boolean;
}

/**
 * A form whose contents are sent once. What is typed is kept with its key until it is
 * answered or thrown away: closing the dialog, a reload, a crash and the end of the
 * session lead back to it.
 */
export function useKeyedForm<F extends object, R>({ open, reopen = same, isComplete, isSecret, seal = same, ...options }: Options<F, R>): KeyedForm<F> {
  const { kept, slot, restored } = useSlot(options.scope, options.title);
  const [blank, setBlank] = useState(open);
  const [strict, setStrict] = useState(false);
  // As it opens; from the first change on what is kept is what is shown.
  const [opened] = useState(() => (kept?.value === undefined || kept.sent !== undefined ? undefined : reopen(fitted(kept.value, blank))));
  const [isChanged, setChanged] = useState(false);
  const form = (isChanged ? undefined : opened) ?? (kept?.value === undefined ? blank : fitted(kept.value, blank));
  const toasts = useToasts();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const begin = () => {
    setStrict(false);
    setChanged(true);
    setBlank(open());
  };
  const write: KeyedMutation<F, R> = useKeyed<F, R>(slot, kept, {
    ...options,
    // A dialog that was closed while the request was in flight cannot show its outcome.
    onRefused: (error, request) => (isShown.current ? options.onRefused?.(error, request) : toasts.failed(error)),
    onUnknown: (error) => (isShown.current ? options.onUnknown?.(error) : toasts.unknown(error, write.again, options.title)),
    onSpent: () => {
      slot.drop();
      begin();
    },
  });
  const isFixed = write.outcome === 'sending' || write.outcome === 'unknown';
  return {
    form: isFixed && write.sent !== undefined ? fitted(write.sent, blank) : form,
    change: (part) => {
      if (isFixed) return;
      const next = { ...form, ...part };
      setChanged(true);
      write.reset();
      slot.conceal(isSecret?.(next) ?? false);
      // Other contents are another request. A tab that goes on with them sends them under the same key.
      slot.put({ value: equal(exact(next), exact(blank)) ? undefined : next, key: randomId() });
    },
    isTouched: kept?.value !== undefined,
    restored: isChanged || isFixed ? undefined : restored,
    discard: () => {
      if (slot.isSending()) return;
      write.giveUp();
      begin();
    },
    submit: () => {
      setStrict(true);
      if (isFixed) write.again();
      else if (isComplete === undefined || isComplete(form)) write.run(seal(form));
    },
    strict,
    key: write.key,
    outcome: write.outcome,
    error: write.error,
    isFixed,
  };
}

const same = <F>(typed: F): F => typed;
