import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { createContext, use, useCallback, useEffect, useEffectEvent, useState, type ReactNode, type SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';

export interface Question {
  title: string;
  /** The consequence, in one sentence. */
  body?: ReactNode;
  /** The label of the button: the action, never "OK". */
  confirm: string;
  tone?: 'accent' | 'bad' | 'warn';
  /** Whether the user must or can enter a reason, of at most 500 characters. */
  reason?: 'required' | 'optional';
}

/** The user's response; undefined if the dialog was cancelled. */
export type Confirmation = { reason: string } | undefined;

type Ask = (question: Question) => Promise<Confirmation>;

const ConfirmContext = createContext<Ask>(() => Promise.resolve(undefined));

/** Prompts for confirmation before an action that cannot easily be reversed. */
export function useConfirm(): Ask {
  return use(ConfirmContext);
}

interface Open {
  question: Question;
  answer: (confirmation: Confirmation) => void;
}

/** Above drawers and dialogs, below the sign-in. */
const onTop = 300;

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open>();
  const [shown, setShown] = useState(false);
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((answer) => {
        setOpen({ question, answer });
        setShown(true);
      }),
    [],
  );
  const settle = (confirmation: Confirmation) => {
    open?.answer(confirmation);
    setShown(false);
  };
  // The confirmation concerns the open page, so navigation cancels it.
  const callOff = useEffectEvent(() => settle(undefined));
  const page = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => () => callOff(), [page]);
  return (
    <ConfirmContext value={ask}>
      {children}
      {/* The dialog is displayed above the drawer or dialog that opened it. */}
      <Modal opened={shown} onClose={() => settle(undefined)} title={open?.question.title} withCloseButton={false} zIndex={onTop}>
        {open !== undefined && <Body question={open.question} settle={settle} />}
      </Modal>
    </ConfirmContext>
  );
}

const maxReasonLength = 500;

function Body({ question, settle }: { question: Question; settle: (confirmation: Confirmation) => void }) {
  const t = useText(uiMessages);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (question.reason === 'required' && reason.trim() === '') setMissing(true);
    else settle({ reason: reason.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {question.body !== undefined && <div>{question.body}</div>}
        {question.reason !== undefined && (
          <Textarea
            label={t('reason')}
            description={t('reasonHint')}
            error={missing && t('reasonNeeded')}
            value={reason}
            onChange={(event) => {
              setReason(event.currentTarget.value);
              setMissing(false);
            }}
            maxLength={maxReasonLength}
            autosize
            minRows={2}
            data-autofocus
          />
        )}
        <Group justify="flex-end">
          <Button onClick={() => settle(undefined)}>{t('cancel')}</Button>
          <Button type="submit" variant="filled" color={question.tone ?? 'accent'} data-autofocus={question.reason === undefined || undefined}>
            {question.confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
