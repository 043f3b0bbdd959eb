import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, useMay, useUser, votesLeft, winnerOf, type Approval, type Winner } from '@/api';
import { useFormat, useText } from '@/i18n';
import { useConfirm, useKeyedAction, useToasts, type Question } from '@/ui';
import { useNow } from '@/ui/now';
import { grantsOf } from './grants';
import { approvalMessages } from './messages';
import { oneApproval, takeStep, type ApprovalRead, type Step } from './queries';

interface Decision {
  step: Step;
  etag: string;
  reason: string;
}

/** The steps that the current user can perform by the rules of the service. The service checks them again. */
export function stepsOf(approval: Approval, me: number, may: (permission: string) => boolean): Step[] {
  const { allowedTransitions, author, kind, status, statusBy, waitingForMe } = approval;
  const { read, write } = grantsOf(kind);
  const isOpen: Record<Approval['allowedTransitions'][number], boolean> = {
    approve: waitingForMe,
    reject: waitingForMe || (status === 'scheduled' && author.id !== me && may('approvals:decide') && may(read)),
    // The stale approval of a disabled author waits for any user with the write permission.
    withdraw: (author.id === me || (status === 'stale' && waitingForMe)) && may(write),
    rebase: may(write),
    review: may('approvals:decide') && statusBy.id !== me,
  };
  const bypass: Step[] = status === 'pending' && ['approvals:decide', 'approvals:bypass', read, write].every(may) ? ['bypass'] : [];
  return [...allowedTransitions.filter((step) => isOpen[step]), ...bypass];
}

/** Executes a step at the ETag that was displayed when the confirmation opened. */
export function useDecide(approval: ApprovalRead) {
  const { id, etag } = approval;
  const t = useText(approvalMessages);
  const ask = useConfirm();
  const { dateTime } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const me = useUser().id;
  const may = useMay();
  const [winner, setWinner] = useState<Winner<Approval>>();
  /** The JSON Pointers of the conflicts that prevent a rebase; empty if the service did not report them. */
  const [contested, setContested] = useState<string[]>();
  const action = useKeyedAction<Decision, Approval>({
    scope: `approvals/${id}/steps`,
    title: t('approval', { id: String(id) }),
    topics: ['approvals', 'overview', 'configs', 'wallets', 'refunds', 'orders', 'flash-sales'],
    send: ({ step, etag: guard, reason }, key) => takeStep(id, step, guard, reason, key),
    onDone: (after, { step }) => {
      const { status } = after;
      if (step === 'rebase' && status === 'scheduled') toasts.done(t('done_rescheduled'));
      else if (step === 'rebase') toasts.done(t('done_rebased'));
      else if (status === 'pending') toasts.done(t('done_pending', { n: votesLeft(after) }));
      else if (status !== 'stale' && status !== 'expired') toasts.done(t(`done_${status}`));
    },
    onRejected: (error, { step }) => {
      setWinner(winnerOf<Approval>(error));
      if (step === 'rebase' && isProblem(error, 'approval_stale')) {
        setContested((error.as<{ conflicts?: { pointer: string }[] }>().conflicts ?? []).map(({ pointer }) => pointer));
      } else if (winnerOf(error) === undefined && !isProblem(error, 'approval_stale')) {
        toasts.failed(error);
      }
      // Load the stale approval: its page shows who changed the record.
      void queries.invalidateQueries({ queryKey: oneApproval(id).queryKey });
    },
  });
  const left = votesLeft(approval) - 1;
  const { effectiveTime } = approval;
  const now = useNow();
  const last = effectiveTime !== null && Date.parse(effectiveTime) > now ? t('approveLater', { time: dateTime(effectiveTime) }) : t('approveLast');
  const questions: Partial<Record<Step, Question>> = {
    approve: { title: t('approveTitle'), body: left <= 0 ? last : t('approveMore', { n: left }), confirm: t('approve') },
    reject: { title: t('rejectTitle'), body: t('rejectBody'), confirm: t('rejectConfirm'), tone: 'bad', reason: 'required' },
    withdraw: { title: t('withdrawTitle'), body: t('withdrawBody'), confirm: t('withdrawConfirm'), tone: 'bad' },
    bypass: { title: t('bypassTitle'), body: t('bypassBody'), confirm: t('bypassConfirm'), tone: 'bad', reason: 'required' },
  };
  return {
    steps: stepsOf(approval, me, may),
    action,
    winner,
    contested,
    forget: () => setWinner(undefined),
    take: async (step: Step) => {
      const question = questions[step];
      const answer = question === undefined ? { reason: '' } : await ask(question);
      if (answer === undefined) return;
      setWinner(undefined);
      setContested(undefined);
      action.run({ step, etag, reason: answer.reason });
    },
  };
}
