import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { winnerOf, type Winner } from '@/api';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { orderMessages } from './messages';
import { Moved } from './Moved';
import { PayMethod, useFunds } from './PayMethod';
import { emptyStep, oneOrder, takeStep, type Order, type OrderAction, type StepInput } from './queries';
import { missingOf, StepFields, useStepFaults } from './StepFields';

interface Props {
  /** As it was when the dialog opened. Its version guards the write, unless the dialog said that others went on. */
  order: Order;
  action: OrderAction;
  onClose: () => void;
  /** Somebody else was first. */
  onLost: (winner: Winner<Order>) => void;
}

interface Form extends StepInput {
  etag?: string;
}

/** Asks for what an action needs and takes it. Nothing shows as done before the service says so. */
export function StepDialog({ order, action, onClose, onLost }: Props) {
  const t = useText(orderMessages);
  const queries = useQueryClient();
  const toasts = useToasts();
  const { id, orderNo } = order;
  const { data: now = order } = useQuery(oneOrder(id));
  const title = t(`${action}Title`, { what: `${t('order')} ${orderNo}` });
  const hasMoved = now.version > order.version;
  const isPossible = now.allowedTransitions.includes(action);
  const settle = (settled: Order) => {
    queries.setQueryData(oneOrder(id).queryKey, settled);
    onClose();
  };
  const keyed = useKeyedForm<Form, Order>({
    scope: `orders/${id}/steps/${action}`,
    title,
    topics: action === 'pay' || action === 'cancel' ? ['orders', 'wallets'] : ['orders'],
    open: () => emptyStep,
    reopen: (typed) => ({ ...emptyStep, ...typed }),
    isComplete: (form) => missingOf(action, form).size === 0,
    seal: (form) => ({ ...form, etag: (hasMoved && isPossible ? now : order).etag }),
    send: ({ etag = '', ...step }, key) => takeStep(id, etag, action, step, key),
    onDone: (taken) => {
      toasts.done(t('done', { number: taken.orderNo, status: t(taken.status) }));
      settle(taken);
    },
    onRefused: (error) => {
      const winner = winnerOf<Order>(error);
      if (winner === undefined) return;
      settle(winner.current);
      onLost(winner);
    },
  });
  const { form, change, isFixed } = keyed;
  const isFromWallet = action === 'pay' && form.method === 'wallet';
  const funds = useFunds(order, isFromWallet);
  const isShort = isFromWallet && funds !== undefined && funds.short > 0;
  const { wrong, told } = useStepFaults(action, form, keyed);
  // One's own step is announced before its reply arrives.
  const moved = hasMoved && !isFixed;
  const late = moved && !isPossible;
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t(isFromWallet ? 'payWallet' : action)}
      color={action === 'cancel' ? 'bad' : 'accent'}
      told={told}
      disabled={late || (isShort && !isFixed)}
      onClose={onClose}
    >
      <Text c="dimmed">{t(isFromWallet ? 'payWalletHint' : `${action}Hint`)}</Text>
      {action === 'pay' && <PayMethod order={now} method={form.method} onChange={change} disabled={isFixed || late} />}
      <StepFields action={action} step={form} onChange={change} wrong={wrong} without={isFromWallet ? ['reference'] : []} disabled={isFixed || late} />
      {moved && <Moved order={now} action={action} />}
    </FormDialog>
  );
}
