import type { ReactNode } from 'react';
import { useSlot } from '../edit/slot';
import { draftValueOf } from '../edit/useDraft';

interface Props<F> {
  /** The path of the record, under which the draft is stored, and the label of the record. */
  resource: string;
  name: string;
  /** Rendered if there is no draft. */
  otherwise: ReactNode;
  onDiscard?: () => void;
  /** Renders the draft; `discard` deletes it, after a recreation or on request. */
  children: (form: F, discard: () => void) => ReactNode;
}

/** The draft of a record that no longer exists. */
export function StoredDraft<F>({ resource, name, otherwise, onDiscard, children }: Props<F>) {
  const { stored, slot } = useSlot(resource, name);
  const form = draftValueOf(stored) as F | undefined;
  if (form === undefined) return otherwise;
  return children(form, () => {
    slot.abandon();
    onDiscard?.();
  });
}
