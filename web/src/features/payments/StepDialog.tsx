import { Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay, winnerOf } from '@/api';
import type { StepProps } from '@/features/order-records/OrderRecordPage';
import { oneOrder, type Order } from '@/features/orders/queries';
import { useFormat, useText } from '@/i18n';
import { Banner, ChangedSinceOpen, FormDialog, useFaults, useStepForm, useToasts } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { paymentMessages } from './messages';
import { onePayment, takeStep, type Payment, type PaymentAction, type StepInput } from './queries';

const maxReasonLength = 500;

const isComplete = (action: PaymentAction, { orderId, reason }: StepInput) => (action === 'apply' ? orderId !== null : reason.trim() !== '');

const isPayment = (current: object) => 'recordedBy' in current;

/** The order that cannot take the payment; undefined for any other rejection. */
function refusingOrder(error: Error): Order | undefined {
  const current = winnerOf<Order>(error)?.current;
  return current === undefined || isPayment(current) ? undefined : current;
}

/** Applies an unmatched payment to an order, or records that it was sent back. */
export function StepDialog({ row: payment, action, onClose, onLost }: StepProps<Payment, PaymentAction>) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const { id } = payment;
  const { data: now = payment } = useQuery(onePayment(id));
  const [amount, number] = [money(payment.amount), String(id)];
  const title = t(`${action}Title`, { id: number, amount });
  const { keyed, moved, late } = useStepForm<Payment, StepInput>({
    record: payment,
    now,
    queryKey: onePayment(id).queryKey,
    action,
    resource: `payments/${id}`,
    title,
    topics: ['payments', 'orders', 'overview'],
    empty: { orderId: payment.orderId, reason: '' },
    isComplete: (form) => isComplete(action, form),
    send: (etag, form, key) => takeStep(id, etag, action, form, key),
    onDone: (after) => toasts.done(t('done', { id: number, status: t(after.status).toLowerCase(), amount })),
    onClose,
    isRecord: isPayment,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const name = action === 'apply' ? 'orderId' : 'reason';
  const { errorOf, hasInput } = useFaults(keyed, [name], () => !isComplete(action, form) && t('needed'));
  const input = { disabled: isFixed || late, error: errorOf(name), 'data-autofocus': true };
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t(`${action}Confirm`)}
      color={action === 'refund' ? 'bad' : 'accent'}
      hasInput={hasInput}
      disabled={late}
      renderRejection={(error) => {
        const order = refusingOrder(error);
        return order && <Banner tone="bad" title={t('orderRefuses', { number: order.orderNo, amount, due: money(order.due) })} />;
      }}
      onClose={onClose}
    >
      <Text>{t(`${action}StepHint`, { amount })}</Text>
      {action === 'apply' ? (
        <div>
          <WholeInput label={t('orderId')} description={t('orderIdHint')} value={form.orderId} onChange={(orderId) => change({ orderId })} {...input} />
          <OrderDue id={form.orderId} />
        </div>
      ) : (
        <Textarea
          label={t('reason')}
          autosize
          minRows={2}
          maxLength={maxReasonLength}
          value={form.reason}
          onChange={(event) => change({ reason: event.currentTarget.value })}
          {...input}
        />
      )}
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(one))} />}
    </FormDialog>
  );
}

/** The order with an id, and the amount that is due. The line is reserved while nothing is known. */
function OrderDue({ id }: { id: number | null }) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const may = useMay()('orders:read');
  const { data: order } = useQuery({ ...oneOrder(id ?? 0), enabled: may && id !== null, retry: false });
  return (
    <Text c="dimmed" mt={4} role="status" mih={22}>
      {order !== undefined && t('orderDue', { number: order.orderNo, due: money(order.due) })}
    </Text>
  );
}
