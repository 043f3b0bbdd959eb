import { Group, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { useFormat, useText } from '@/i18n';
import { FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { walletMessages } from './messages';
import { missingOfTransfer, newReference, openTransfer, transferOf, type TransferForm } from './posting';
import { transfer, type Transfer } from './queries';
import { TransferPreview } from './TransferPreview';
import { usePostingRejection } from './usePostingRejection';

interface Props {
  /** The source wallet, if known. */
  from: string | null;
  onClose: () => void;
}

/**
 * The dialog that transfers money between two wallets: both change or neither. The page shows the
 * new balances only after the service has confirmed them.
 */
export function TransferDialog({ from, onClose }: Props) {
  const t = useText(walletMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const keyed = useKeyedForm<TransferForm, Transfer>({
    scope: from === null ? 'wallet-transfers' : `wallets/${from}/transfers`,
    title: t('transferTitle'),
    topics: ['wallets'],
    open: openTransfer(from ?? ''),
    isComplete: (typed) => missingOfTransfer(typed).size === 0,
    send: (form, key) => transfer(transferOf(form), key),
    onDone: (made) => {
      toasts.done(t('transferred', { amount: money(made.amount), from: made.fromUserId, to: made.toUserId }));
      onClose();
    },
  });
  const { form, change, isFixed, strict } = keyed;
  const missing = missingOfTransfer(form);
  const { errorOf, hasInput } = useFaults(keyed, ['fromUserId', 'toUserId', 'amount', 'reference'], (name) => missing.has(name) && t(`${name}Needed`));
  const rejection = usePostingRejection(
    (amount) => change({ amount }),
    () => change({ reference: newReference() }),
  );
  const user = (name: 'fromUserId' | 'toUserId') => ({
    label: t(name),
    maxLength: 128,
    disabled: isFixed,
    value: form[name],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => change({ [name]: value.trim() }),
  });
  return (
    <FormDialog form={keyed} title={t('transferTitle')} confirm={t('transfer')} hasInput={hasInput} renderRejection={rejection} onClose={onClose}>
      <Group grow align="flex-start">
        <TextInput {...user('fromUserId')} error={errorOf('fromUserId')} data-autofocus={from === null || undefined} />
        <TextInput {...user('toUserId')} error={strict && missing.has('same') ? t('same') : errorOf('toUserId')} data-autofocus={from !== null || undefined} />
      </Group>
      <MoneyInput label={t('amount')} minor={form.amount} disabled={isFixed} error={errorOf('amount')} onMinor={(amount) => change({ amount })} />
      <TextInput
        label={t('reference')}
        description={t('referenceHint')}
        classNames={{ input: 'mono' }}
        maxLength={100}
        disabled={isFixed}
        value={form.reference}
        error={errorOf('reference')}
        onChange={(event) => change({ reference: event.currentTarget.value })}
      />
      {!isFixed && <TransferPreview form={form} />}
    </FormDialog>
  );
}
