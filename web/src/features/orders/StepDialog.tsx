import { Checkbox, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Winner } from '@/api';
import { useText } from '@/i18n';
import { FormDialog, ChangedSinceOpen, useStepForm, useToasts } from '@/ui';
import { orderMessages } from './messages';
import { PayMethod, useFunds } from './PayMethod';
import { emptyStep, oneOrder, takeStep, type Order, type OrderAction, type StepInput } from './queries';
import { missingOf, StepFields, useStepFaults } from './StepFields';

interface Props {
  /** The order when the dialog opened. The write is guarded by its version, or by a newer one that the dialog has displayed. */
  order: Order;
  action: OrderAction;
  onClose: () => void;
  /** Called if another user was first. */
  onLost: (winner: Winner<Order>) => void;
}

/** The dialog of a transition, with its inputs. The page shows the new status only after the service has confirmed it. */
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
    topics: action === 'pay' || action === 'cancel' ? ['orders', 'wallets', 'refunds'] : ['orders'],
    empty: emptyStep,
    isComplete: (form) => missingOf(action, form).size === 0,
    send: (etag, step, key) => takeStep(id, etag, action, step, key),
    onDone: (taken) => toasts.done(t('done', { number: taken.orderNo, status: t(taken.status) })),
    onClose,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const isFromWallet = action === 'pay' && form.method === 'wallet';
  const funds = useFunds(order, isFromWallet);
  const isShort = isFromWallet && funds !== undefined && funds.short > 0;
  const { errorOf, hasInput } = useStepFaults(action, form, keyed);
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t(isFromWallet ? 'payWallet' : action)}
      color={action === 'cancel' ? 'bad' : 'accent'}
      hasInput={hasInput}
      disabled={late || (isShort && !isFixed)}
      onClose={onClose}
    >
      <Text c="dimmed">{t(isFromWallet ? 'payWalletHint' : `${action}Hint`)}</Text>
      {action === 'pay' && <PayMethod order={now} method={form.method} onChange={change} disabled={isFixed || late} />}
      <StepFields action={action} step={form} onChange={change} errorOf={errorOf} without={isFromWallet ? ['reference'] : []} disabled={isFixed || late} />
      {action === 'ship' && now.paid > 0 && now.refunded === now.paid && (
        <Checkbox
          label={t('shipRefunded')}
          checked={form.shipRefunded}
          disabled={isFixed || late}
          onChange={(event) => change({ shipRefunded: event.currentTarget.checked })}
        />
      )}
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(one))} />}
    </FormDialog>
  );
}
