import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, keepsKey, useIdempotencyKey, type Answer } from '@/api';
import { useDraft, type Versioned } from './useDraft';

interface Options<T, R> {
  /** What is about to be made: "coupon-campaigns/new". Names what is kept. */
  scope: string;
  /** What the form begins as. */
  blank: () => T;
  /** Whether what is typed can be sent. */
  isComplete: (value: T) => boolean;
  send: (value: T, key: string) => Promise<Answer<R>>;
  onMade: (record: R) => void;
}

export interface NewRecord<T> {
  value: T;
  change: (part: Partial<T>) => void;
  /** When what is shown was typed, if it comes from an earlier visit; ms since 1970. */
  restored: number | undefined;
  discard: () => void;
  /** The idempotency key it is sent under. */
  key: string;
  submit: () => void;
  /** Somebody tried to send what is typed: now say what is missing. */
  strict: boolean;
  error: Error | null;
  isPending: boolean;
  /** It was sent and its outcome is not known: only the same can be asked again. */
  isOpen: boolean;
}

/** A form as the record that a draft is kept of, before there is one. */
interface Unborn<T> extends Versioned {
  fields: T;
}

const readUnborn = <T>({ fields }: Unborn<T>) => fields;

/** The state of a form that makes a record. What is typed is kept in this browser until it is made or discarded. */
export function useNewRecord<T, R>({ scope, blank, isComplete, send, onMade }: Options<T, R>): NewRecord<T> {
  const { key, renew } = useIdempotencyKey(scope);
  const [current] = useState<Unborn<T>>(() => ({ version: 0, etag: 'new', fields: blank() }));
  const draft = useDraft({ resource: scope, current, read: readUnborn<T> });
  const [strict, setStrict] = useState(false);
  const create = useMutation({
    mutationFn: () => send(draft.value, key),
    onSuccess: ({ data: made }) => {
      renew();
      draft.discard();
      onMade(made);
    },
    onError: (error) => {
      if (!keepsKey(error)) renew();
    },
  });
  return {
    value: draft.value,
    change: (part) => draft.setValue((before) => ({ ...before, ...part })),
    restored: draft.restored,
    discard: draft.discard,
    key,
    submit: () => {
      setStrict(true);
      if (isComplete(draft.value)) create.mutate();
    },
    strict,
    error: create.error,
    isPending: create.isPending,
    // What was sent stays as it was: the same key with other contents would be refused.
    isOpen: isProblem(create.error) && create.error.isOutcomeUnknown,
  };
}
