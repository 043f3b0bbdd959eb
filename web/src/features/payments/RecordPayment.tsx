import { Button, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { oneOrder, type Order } from '@/features/orders/queries';
import { oneWallet } from '@/features/wallets/queries';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { paymentMessages } from './messages';
import styles from './RecordPayment.module.css';
import { recordPayment, type Payment } from './queries';
import { blankReceipt, faultsOf, isUnmatched, receiptOf, type ReceiptForm } from './receipt';

interface Props {
  /** The order when the dialog opened. */
  order: Order;
  onClose: () => void;
}

const maxLength = { provider: 64, reference: 100 } as const;

/** Records a payment of an order: money from outside, or from the wallet of the customer. The amount is all that is due by default. */
export function RecordPayment({ order, onClose }: Props) {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const { id, orderNo, userId } = order;
  const { data: now = order } = useQuery(oneOrder(id));
  const { data: wallet } = useQuery({ ...oneWallet(userId), enabled: useMay()('wallets:read') });
  const title = t('recordTitle', { number: orderNo });
  const keyed = useKeyedForm<ReceiptForm, Payment>({
    scope: `orders/${id}/steps/pay`,
    title,
    topics: ['payments', 'orders', 'wallets', 'overview'],
    open: () => blankReceipt(order),
    isComplete: (typed) => Object.keys(faultsOf(typed, now)).length === 0,
    send: (typed, key) => recordPayment(id, receiptOf(typed, order, key), key),
    onDone: (made) => {
      const values = { id: String(made.id), amount: money(made.amount) };
      if (made.status === 'unmatched') toasts.info(t('recordUnmatched', values));
      else toasts.done(t('recordDone', values));
      onClose();
    },
  });
  const { form, change, isFixed } = keyed;
  const isFromWallet = form.method === 'wallet';
  const due = money(now.due);
  const faults = faultsOf(form, now);
  const { errorOf, hasInput } = useFaults(keyed, ['amount', 'provider', 'reference'], (name) => {
    const fault = name === 'provider' ? undefined : faults[name];
    return fault !== undefined && t(fault, { amount: due });
  });
  const after = wallet === undefined ? 0 : wallet.balance - (form.amount ?? 0);
  const text = (name: 'provider' | 'reference') => (
    <TextInput
      label={t(name)}
      description={t(`${name}Hint`)}
      autoComplete="off"
      classNames={{ input: 'mono' }}
      maxLength={maxLength[name]}
      withAsterisk={name === 'reference'}
      disabled={isFixed}
      value={form[name]}
      error={errorOf(name)}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t('record')}
      hasInput={hasInput}
      disabled={isFromWallet && after < 0 && !isFixed}
      onClose={onClose}
    >
      <Text>
        <strong>{t('dueNow', { due })}</strong> {t(isFromWallet ? 'recordWalletHint' : 'recordHint')}
      </Text>
      <Radio.Group label={t('payBy')} value={form.method} onChange={(method) => change({ method: method === 'wallet' ? 'wallet' : 'external' })}>
        <Stack gap={6} mt={4}>
          <Radio value="external" label={t('payExternal')} disabled={isFixed} />
          <Radio
            value="wallet"
            label={t('payFromWallet', { user: userId })}
            description={wallet && t('walletHas', { balance: money(wallet.balance) })}
            disabled={isFixed}
          />
        </Stack>
      </Radio.Group>
      {order.amount > 0 && (
        <div className={styles.amount}>
          <MoneyInput
            label={t('amount')}
            disabled={isFixed}
            minor={form.amount}
            error={errorOf('amount')}
            onMinor={(amount) => change({ amount })}
            data-autofocus
          />
          {form.amount !== now.due && now.due > 0 && (
            <Button disabled={isFixed} onClick={() => change({ amount: now.due })}>
              {t('useDue')} · {due}
            </Button>
          )}
        </div>
      )}
      {isFromWallet && wallet !== undefined && (
        <Text role="status" c={after < 0 ? 'var(--il-bad)' : 'dimmed'}>
          {after < 0 ? t('walletShort', { short: money(-after) }) : t('walletAfter', { balance: money(after) })}
        </Text>
      )}
      {!isFromWallet && text('reference')}
      {!isFromWallet && text('provider')}
      {!isFixed && isUnmatched(form, now) && (
        <Banner tone="warn" title={t('exceeds', { due })}>
          {t('exceedsHint')}
        </Banner>
      )}
    </FormDialog>
  );
}
