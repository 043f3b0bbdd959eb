import type { ReactNode } from 'react';
import { useSlot } from '../edit/slot';
import { draftValueOf } from '../edit/useDraft';

interface Props<F> {
  /** Path of the record, under which the draft is kept, and what people call it. */
  resource: string;
  name: string;
  /** What is shown where nothing is kept. */
  otherwise: ReactNode;
  onDiscard?: () => void;
  /** What was typed, and how it is given up: it was made again, or is not wanted any more. */
  children: (form: F, discard: () => void) => ReactNode;
}

/** What was typed into a record that there is no more. */
export function StoredDraft<F>({ resource, name, otherwise, onDiscard, children }: Props<F>) {
  const { stored, slot } = useSlot(resource, name);
  const form = draftValueOf(stored) as F | undefined;
  if (form === undefined) return otherwise;
  return children(form, () => {
    slot.abandon();
    onDiscard?.();
  });
}
