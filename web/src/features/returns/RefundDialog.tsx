import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import { FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { returnMessages } from './messages';
import { refundReturn, type Return } from './queries';

/** Requests the refund of a return, by its units or an amount. */
export function RefundDialog({ row: { id }, onClose }: { row: Return; onClose: () => void }) {
  const t = useText(returnMessages);
  const toasts = useToasts();
  const title = t('refundTitle', { id: String(id) });
  const keyed = useKeyedForm<{ amount: number | null }, Return>({
    scope: `returns/${id}/refund`,
    title,
    topics: ['returns', 'refunds', 'orders', 'overview'],
    open: () => ({ amount: null }),
    isComplete: () => true,
    send: ({ amount }, key) => refundReturn(id, amount, key),
    onDone: ({ refundId }) => {
      toasts.done(t('refunded', { id: String(refundId) }));
      onClose();
    },
  });
  const { form, change, isFixed } = keyed;
  const { errorOf, hasInput } = useFaults(keyed, ['amount'], () => false);
  return (
    <FormDialog form={keyed} title={title} size="md" confirm={t('refundConfirm')} hasInput={hasInput} onClose={onClose}>
      <Text>{t('refundHint')}</Text>
      <MoneyInput
        label={t('amount')}
        description={t('amountHint')}
        disabled={isFixed}
        minor={form.amount}
        error={errorOf('amount')}
        onMinor={(amount) => change({ amount })}
      />
    </FormDialog>
  );
}
