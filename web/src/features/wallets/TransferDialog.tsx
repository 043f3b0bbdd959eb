import { Group, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { useFormat, useText } from '@/i18n';
import { useKeyedForm, usePlaceText, useToasts } from '@/ui';
import { KeyedDialog } from '@/ui/edit/KeyedDialog';
import { MoneyInput } from '@/ui/MoneyInput';
import { walletMessages } from './messages';
import { missingOfTransfer, newReference, openTransfer, transferOf, type TransferForm } from './posting';
import { PostingRefusal } from './PostingRefusal';
import { transfer, type Transfer } from './queries';
import { TransferPreview } from './TransferPreview';

/** What has an input, by its name in the request. */
const inputs = ['fromUserId', 'toUserId', 'amount', 'reference'] as const;

interface Props {
  /** Who gives, where that is known. */
  from: string | null;
  onClose: () => void;
}

/** Moves money from one wallet to another: both change or neither, and none before the service has answered. */
export function TransferDialog({ from, onClose }: Props) {
  const t = useText(walletMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const reread = () => void queries.invalidateQueries({ queryKey: ['wallets'] });
  const keyed = useKeyedForm<TransferForm, Transfer>({
    scope: from === null ? 'wallet-transfers' : `wallets/${from}/transfers`,
    open: openTransfer(from ?? ''),
    isComplete: (typed) => missingOfTransfer(typed).size === 0,
    send: (form, key) => transfer(transferOf(form), key),
    onDone: (made) => {
      toasts.done(t('transferred', { amount: money(made.amount), from: made.fromUserId, to: made.toUserId }));
      reread();
      onClose();
    },
    onRefused: reread,
  });
  const { form, change, isFixed, strict, error } = keyed;
  const refused = usePlaceText(error);
  const missing = missingOfTransfer(form);
  const wrong = (name: (typeof inputs)[number]) =>
    strict && missing.has(name) ? t(`${name}Needed`) : refused(`/${name}`);
  const user = (name: 'fromUserId' | 'toUserId') => ({
    label: t(name),
    maxLength: 64,
    disabled: isFixed,
    value: form[name],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => change({ [name]: value.trim() }),
  });
  return (
    <KeyedDialog
      keyed={keyed}
      title={t('transferTitle')}
      confirm={t('transfer')}
      refusal={(refusal) => (
        <PostingRefusal
          error={refusal}
          told={(pointer) => inputs.some((name) => pointer === `/${name}`)}
          retry={keyed.submit}
          take={(amount) => change({ amount })}
          rename={() => change({ reference: newReference() })}
        />
      )}
      onClose={onClose}
    >
      <Group grow align="flex-start">
        <TextInput {...user('fromUserId')} error={wrong('fromUserId')} data-autofocus={from === null || undefined} />
        <TextInput {...user('toUserId')} error={strict && missing.has('same') ? t('same') : wrong('toUserId')} data-autofocus={from !== null || undefined} />
      </Group>
      <MoneyInput label={t('amount')} minor={form.amount} disabled={isFixed} error={wrong('amount')} onMinor={(amount) => change({ amount })} />
      <TextInput label={t('reference')} description={t('referenceHint')} classNames={{ input: 'mono' }} maxLength={100} disabled={isFixed} value={form.reference} error={wrong('reference')} onChange={(event) => change({ reference: event.currentTarget.value })} />
      {!isFixed && <TransferPreview form={form} />}
    </KeyedDialog>
  );
}
