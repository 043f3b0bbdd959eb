import { useEffect, useRef, useState } from 'react';
import { randomId } from '@/browser/id';
import { equal, exact } from '@/merge';
import { useToasts } from '../feedback/toasts';
import { upgradeInput } from './upgradeInput';
import { useSlot } from './slot';
import { useKeyed, type KeyedMutation, type KeyedOptions, type Outcome } from './useKeyedMutation';

interface Options<F, R> extends KeyedOptions<F, R> {
  /** Returns the empty form. */
  open: () => F;
  /** Updates restored input to the current data that it depends on. */
  reopen?: (typed: F) => F;
  /** Whether the form can be submitted. */
  isComplete?: (form: F) => boolean;
  /** Whether the input is secret, so that no draft is stored. */
  isSecret?: (form: F) => boolean;
  /** Adds data to the form on submit, such as the ETag of the version that the write is based on. */
  seal?: (form: F) => F;
}

export interface KeyedForm<F> {
  form: F;
  change: (part: Partial<F>) => void;
  /** The form has input. */
  isTouched: boolean;
  /** When the restored draft last changed, in ms since 1970; undefined for input of this visit. */
  restored: number | undefined;
  /** Discards the input and abandons a pending request; does nothing while a request is in flight. */
  discard: () => void;
  /** Submits a complete form, or retries its pending request. */
  submit: () => void;
  /** The user tried to submit: missing values are now marked. */
  strict: boolean;
  key: string | undefined;
  outcome: Outcome;
  /** The rejection, or the reason for a missing response. */
  error: Error | null;
  /** The request is in flight or its outcome is unknown: the form cannot be edited. */
  isFixed: boolean;
}

/**
 * A form that is submitted once. Its input and key are stored until a response or a discard: after
 * the dialog was closed, a reload, a crash or the end of the session, the form is restored.
 */
export function useKeyedForm<F extends object, R>({ open, reopen = same, isComplete, isSecret, seal = same, ...options }: Options<F, R>): KeyedForm<F> {
  const { stored, slot, restored } = useSlot(options.scope, options.title);
  const [blank, setBlank] = useState(open);
  const [strict, setStrict] = useState(false);
  // The restored form; the first change replaces it with the stored draft.
  const [restoredForm] = useState(() => (stored?.value === undefined || stored.sent !== undefined ? undefined : reopen(upgradeInput(stored.value, blank))));
  const [isChanged, setChanged] = useState(false);
  const form = (isChanged ? undefined : restoredForm) ?? (stored?.value === undefined ? blank : upgradeInput(stored.value, blank));
  const toasts = useToasts();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const reset = () => {
    setStrict(false);
    setChanged(true);
    setBlank(open());
  };
  const write: KeyedMutation<F, R> = useKeyed<F, R>(slot, stored, {
    ...options,
    // A dialog that was closed while the request was in flight cannot show its outcome.
    onRejected: (error, request) => (isShown.current ? options.onRejected?.(error, request) : toasts.failed(error)),
    onUnknown: (error) => (isShown.current ? options.onUnknown?.(error) : toasts.unknown(error, write.retry, options.title)),
    onSpent: () => {
      slot.drop();
      reset();
    },
  });
  const isFixed = write.outcome === 'sending' || write.outcome === 'unknown';
  return {
    form: isFixed && write.sent !== undefined ? upgradeInput(write.sent, blank) : form,
    change: (part) => {
      if (isFixed) return;
      const next = { ...form, ...part };
      setChanged(true);
      write.reset();
      slot.setSecret(isSecret?.(next) ?? false);
      // Edited contents are another request, so they need a new key. It is stored, so that another
      // tab that restores the draft sends it under the same key.
      slot.put({ value: equal(exact(next), exact(blank)) ? undefined : next, key: randomId() });
    },
    isTouched: stored?.value !== undefined,
    restored: isChanged || isFixed ? undefined : restored,
    discard: () => {
      if (slot.isSending()) return;
      write.abandon();
      reset();
    },
    submit: () => {
      setStrict(true);
      if (isFixed) write.retry();
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
