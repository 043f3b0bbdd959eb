import { Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { StepProps } from '@/features/order-records/OrderRecordPage';
import { useFormat, useText } from '@/i18n';
import { FormDialog, ChangedSinceOpen, useFaults, useStepForm, useToasts } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { refundMessages } from './messages';
import { emptyStep, oneRefund, takeStep, type Refund, type RefundAction, type StepInput } from './queries';
import { asks, buttons, faultOf } from './steps';

const maxLength = { reason: 500, reference: 100 } as const;

/** The dialog of a transition: it explains the effect on the money and has the inputs. */
export function StepDialog({ row: refund, action, onClose, onLost }: StepProps<Refund, RefundAction>) {
  const t = useText(refundMessages);
  const edit = useText(editMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const { id, userId } = refund;
  const amount = money(refund.amount);
  // Read the refund again: the service sends no event when the required votes in the settings change.
  const { data: now = refund } = useQuery({ ...oneRefund(id), refetchOnMount: 'always' });
  const needs = action === 'approve' ? now.changeNeeds : undefined;
  const title = t(`${action}Title`, { id: String(id), amount });
  const { keyed, moved, late } = useStepForm<Refund, StepInput>({
    record: refund,
    now,
    queryKey: oneRefund(id).queryKey,
    action,
    resource: `refunds/${id}`,
    title,
    topics: ['refunds', 'orders', 'wallets', 'inventory', 'overview'],
    empty: emptyStep,
    isComplete: (step) => faultOf(action, step) === undefined,
    send: (etag, step, key) => takeStep(id, etag, action, step, key),
    onDone: (after) => toasts.done(t('done', { id: String(id), status: t(after.status).toLowerCase(), amount })),
    onClose,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const name = asks[action];
  const { errorOf, hasInput } = useFaults(keyed, name === undefined ? [] : [name], () => {
    const fault = faultOf(action, form);
    return fault !== undefined && t(fault);
  });
  const hint = () => {
    if (action !== 'approve') return t(`${action}Hint`, { amount });
    if (needs !== undefined) return t('approveNeeds', { n: needs.approvals });
    return t(refund.method === 'wallet' ? 'approveWallet' : 'approveExternal', { amount, user: userId });
  };
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={needs === undefined ? t(`${action}Confirm`) : edit('propose')}
      color={action === 'reject' || action === 'fail' ? 'bad' : 'accent'}
      hasInput={hasInput}
      disabled={late}
      onClose={onClose}
    >
      <Text>{hint()}</Text>
      {action === 'approve' && refund.status === 'failed' && <Text>{t('approveAgain', { amount })}</Text>}
      {name === 'reference' && (
        <TextInput
          label={t('reference')}
          description={t('referenceHint')}
          classNames={{ input: 'mono' }}
          maxLength={maxLength.reference}
          disabled={isFixed || late}
          value={form.reference}
          error={errorOf('reference')}
          onChange={(event) => change({ reference: event.currentTarget.value })}
          data-autofocus
        />
      )}
      {name === 'reason' && (
        <Textarea
          label={t('reason')}
          description={t('reasonHint')}
          autosize
          minRows={2}
          maxLength={maxLength.reason}
          disabled={isFixed || late}
          value={form.reason}
          error={errorOf('reason')}
          onChange={(event) => change({ reason: event.currentTarget.value })}
          data-autofocus
        />
      )}
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(buttons[one]))} />}
    </FormDialog>
  );
}
