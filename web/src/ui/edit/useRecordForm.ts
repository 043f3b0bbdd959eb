import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import type { PersonName } from '@/api';
import type { JsonObject } from '@/merge';
import type { Fields, FieldTexts } from './fields';
import { useDraft, type Draft, type Versioned } from './useDraft';
import { useGuardedSave, type Saved } from './useGuardedSave';
import { useSaveWords } from './useSaveWords';

/** A record that says who changed it last. */
export interface Stamped extends Versioned {
  updatedBy: PersonName;
  updatedTime: string;
}

interface Options<R extends Stamped, T> {
  /** Path of the record: "items/TEA". Names the draft that is kept. */
  resource: string;
  /** The record as it was last read. */
  current: R;
  /** What of the record is edited. */
  read: (record: R) => T;
  texts: FieldTexts<T>;
  /** Whether what is typed can be sent. */
  isComplete: (value: T) => boolean;
  /** Sends a merge patch under a tag. */
  send: (patch: JsonObject, etag: string) => Promise<R>;
  /** Nothing is left to decide or to send. */
  onSaved?: () => void;
}

export interface RecordForm<R extends Stamped, T extends Fields> extends Pick<Options<R, T>, 'current' | 'read' | 'texts'> {
  draft: Draft<R, T>;
  guarded: ReturnType<typeof useGuardedSave<R, T>>;
  change: (part: Partial<T>) => void;
  /** Somebody tried to save what is typed: now say what is missing. */
  strict: boolean;
  error: Error | null;
  isSaving: boolean;
  submit: (event: SubmitEvent) => void;
  /** Saves what was decided of a conflict. */
  resolve: () => void;
}

/** The state of a form that edits a record: its draft, its guarded save, and what came of it. */
export function useRecordForm<R extends Stamped, T extends Fields>(options: Options<R, T>): RecordForm<R, T> {
  const { resource, current, read, texts, isComplete, send, onSaved } = options;
  const tell = useSaveWords<T>(texts);
  const draft = useDraft({ resource, current, read });
  const guarded = useGuardedSave<R, T>({ draft, read, send });
  const [strict, setStrict] = useState(false);
  const save = useMutation({ mutationFn: (run: () => Promise<Saved<T>>) => run() });
  const run = (how: () => Promise<Saved<T>>, theirs?: string) =>
    save.mutate(how, {
      onSuccess: (outcome) => {
        tell(outcome, theirs);
        if (outcome.kind === 'contested') return;
        setStrict(false);
        onSaved?.();
      },
    });
  return {
    current,
    read,
    texts,
    draft,
    guarded,
    strict,
    error: save.error,
    isSaving: save.isPending,
    change: (part) => draft.setValue((before) => ({ ...before, ...part })),
    submit: (event) => {
      event.preventDefault();
      setStrict(true);
      if (isComplete(draft.value)) run(guarded.save);
    },
    resolve: () => {
      const { conflict } = guarded;
      if (conflict !== undefined) run(() => guarded.resolve(conflict), conflict.by.name);
    },
  };
}
