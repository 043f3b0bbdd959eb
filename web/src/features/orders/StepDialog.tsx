import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Winner } from '@/api';
import { CancelRefunds } from '@/features/payments/CancelRefunds';
import { useText } from '@/i18n';
import { FormDialog, ChangedSinceOpen, useStepForm, useToasts } from '@/ui';
import { orderMessages } from './messages';
import { emptyStep, oneOrder, stepLabels, takeStep, type Order, type StepInput } from './queries';
import { missingOf, StepFields, useStepFaults } from './StepFields';

interface Props {
  /** The order when the dialog opened. The write is guarded by its version, or by a newer one that the dialog has displayed. */
  order: Order;
  action: 'complete' | 'cancel';
  onClose: () => void;
  /** Called if another user was first. */
  onLost: (winner: Winner<Order>) => void;
}

/** The dialog that completes or cancels an order. The page shows the new status only after the service has confirmed it. */
export function StepDialog({ order, action, onClose, onLost }: Props) {
  const t = useText(orderMessages);
  const toasts = useToasts();
  const { id, orderNo } = order;
  const { data: now = order } = useQuery(oneOrder(id));
  const title = t(`${action}Title`, { what: `${t('order')} ${orderNo}` });
  const { keyed, moved, late } = useStepForm<Order, StepInput>({
    record: order,
    now,
    queryKey: oneOrder(id).queryKey,
    action,
    resource: `orders/${id}`,
    title,
    topics: action === 'cancel' ? ['orders', 'payments', 'wallets', 'refunds'] : ['orders'],
    empty: emptyStep,
    isComplete: (form) => missingOf(action, form).size === 0,
    send: (etag, step, key) => takeStep(id, etag, action, step, key),
    onDone: (taken) => toasts.done(t('done', { number: taken.orderNo, status: t(taken.status) })),
    onClose,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const { errorOf, hasInput } = useStepFaults(action, form, keyed);
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t(action)}
      color={action === 'cancel' ? 'bad' : 'accent'}
      hasInput={hasInput}
      disabled={late}
      onClose={onClose}
    >
      <Text c="dimmed">{t(`${action}Hint`)}</Text>
      {action === 'cancel' && now.paid > now.refunded && <CancelRefunds order={now} />}
      <StepFields action={action} step={form} onChange={change} errorOf={errorOf} disabled={isFixed || late} />
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(stepLabels[one]))} />}
    </FormDialog>
  );
}
