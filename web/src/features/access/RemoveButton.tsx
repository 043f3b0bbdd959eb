import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useConfirm, useKeyedAction, useToasts } from '@/ui';

interface Props {
  scope: string;
  /** The accessible name of the button; `text` is its visible label. */
  label: string;
  text: string;
  question: { title: string; body: ReactNode };
  send: () => Promise<unknown>;
  /** The text of the toast after the removal, and of the toast if the credential was already removed. */
  done: string;
  already: string;
  /** Called when the list may have changed, also after a rejection. */
  onChanged?: () => void;
}

/** Removes one credential of a user after a confirmation. */
export function RemoveButton({ scope, label, text, question, send, done, already, onChanged }: Props) {
  const confirm = useConfirm();
  const toasts = useToasts();
  const remove = useKeyedAction<null, unknown>({
    scope,
    title: label,
    topics: ['users'],
    send,
    onDone: () => {
      toasts.done(done);
      onChanged?.();
    },
    onRejected: (error) => {
      if (isProblem(error, 'not_found')) toasts.info(already);
      else toasts.failed(error);
      onChanged?.();
    },
  });
  const ask = async () => {
    if ((await confirm({ ...question, confirm: text, tone: 'bad' })) !== undefined) remove.run(null);
  };
  return (
    <Button
      color="bad"
      variant="subtle"
      aria-label={label}
      loading={remove.outcome === 'sending'}
      disabled={remove.outcome === 'unknown'}
      onClick={() => void ask()}
    >
      {text}
    </Button>
  );
}
