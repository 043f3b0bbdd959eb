import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useConfirm, useKeyedAction, useToasts } from '@/ui';

interface Props {
  scope: string;
  /** What it removes, in full; the button shows `text` alone. */
  label: string;
  text: string;
  question: { title: string; body: ReactNode };
  send: () => Promise<unknown>;
  /** What is said when it is removed, and when it was removed already. */
  done: string;
  already: string;
  /** Called when what it stood among may be others, also after a refusal. */
  onChanged?: () => void;
}

/** Asks, and removes one thing by which a user comes in. */
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
    onRefused: (error) => {
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
