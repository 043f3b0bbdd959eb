import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, keepsKey, useIdempotencyKey, useUser } from '@/api';

interface Options<F, R> {
  /** What is about to be done: "wallets/12/entries". Names what is kept. */
  scope: string;
  /** The form as it opens; given what was typed before a reload or crash. */
  open: (typed: F | undefined) => F;
  /** Whether what is typed can be sent. */
  isComplete?: (form: F) => boolean;
  send: (form: F, key: string) => Promise<R>;
  onDone: (reply: R, form: F) => void;
  /** It was refused, and the key is free again. */
  onRefused?: (error: Error) => void;
}

export interface KeyedForm<F> {
  form: F;
  change: (part: Partial<F>) => void;
  /** The idempotency key of what is typed. */
  key: string;
  /** Sends what is typed once it is complete, or asks again for what was sent. */
  submit: () => void;
  /** Somebody tried to send what is typed: now say what is missing. */
  strict: boolean;
  isPending: boolean;
  error: Error | null;
  /** It was sent and its outcome is not known: only the same can be asked again. */
  isOpen: boolean;
  /** It is on its way or its outcome is not known: nothing of it can be changed. */
  isFixed: boolean;
  /** Forgets what was typed, unless it was sent and is not answered. */
  giveUp: () => void;
}

interface Kept<F> {
  form: F;
  /** The key it was sent under and not answered. */
  sentAs: string | null;
}

/**
 * A form whose contents are sent once under an idempotency key. What is typed lives
 * with the key until the reply: a reload or a crash between sending and answer leads
 * back to the same request under the same key.
 */
export function useKeyedForm<F extends object, R>({ scope, open, isComplete, send, onDone, onRefused }: Options<F, R>): KeyedForm<F> {
  const storedAs = `interlock.form.${useUser().id}.${scope}`;
  const { key, renew } = useIdempotencyKey(scope);
  const [kept, setKept] = useState<Kept<F>>(() => {
    const earlier = recalled<F>(storedAs);
    return earlier?.sentAs === key ? earlier : { form: open(earlier?.form), sentAs: null };
  });
  const [strict, setStrict] = useState(false);
  const keep = (next: Kept<F>) => {
    store(storedAs, JSON.stringify(next));
    setKept(next);
  };
  const run = useMutation({
    mutationFn: (form: F) => {
      keep({ form, sentAs: key });
      return send(form, key);
    },
    onSuccess: (reply, form) => {
      renew();
      store(storedAs, undefined);
      onDone(reply, form);
    },
    onError: (error, form) => {
      if (isOutcomeOpen(error)) return;
      keep({ form, sentAs: null });
      if (keepsKey(error)) return;
      renew();
      onRefused?.(error);
    },
  });
  const isOpen = kept.sentAs !== null && !run.isPending;
  return {
    form: kept.form,
    change: (part) => {
      // Other contents are another request; a key that was turned away stands for the first.
      if (run.error !== null && keepsKey(run.error)) renew();
      run.reset();
      keep({ form: { ...kept.form, ...part }, sentAs: null });
    },
    key,
    submit: () => {
      setStrict(true);
      if (isOpen || isComplete === undefined || isComplete(kept.form)) run.mutate(kept.form);
    },
    strict,
    isPending: run.isPending,
    error: run.error,
    isOpen,
    isFixed: isOpen || run.isPending,
    giveUp: () => {
      if (kept.sentAs === null) store(storedAs, undefined);
    },
  };
}

const isOutcomeOpen = (error: Error) => isProblem(error) && (error.isOutcomeUnknown || error.code === 'unavailable' || error.code === 'request_in_progress');

function recalled<F>(name: string): Kept<F> | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(name) ?? 'null') as Kept<F> | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(name: string, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // It then lives as long as the dialog.
  }
}
