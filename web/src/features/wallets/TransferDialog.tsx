import { Button, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { KeyedNotice, useKeyedForm, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { uiMessages } from '@/ui/messages';
import { walletMessages } from './messages';
import { missingOfTransfer, newReference, openTransfer, transferOf, type TransferForm } from './posting';
import { PostingRefusal } from './PostingRefusal';
import { transfer, type Transfer } from './queries';
import { TransferPreview } from './TransferPreview';

interface Props {
  /** Who gives, where that is known. */
  from: number | null;
  onClose: () => void;
}

/** Moves money from one wallet to another: both change or neither, and none before the service has answered. */
export function TransferDialog({ from, onClose }: Props) {
  const t = useText(walletMessages);
  const ui = useText(uiMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const [strict, setStrict] = useState(false);
  const reread = () => void queries.invalidateQueries({ queryKey: ['wallets'] });
  const keyed = useKeyedForm<TransferForm, Transfer>({
    scope: from === null ? 'wallet-transfers' : `wallets/${from}/transfers`,
    open: openTransfer(from),
    send: (form, key) => transfer(transferOf(form), key),
    onDone: (made) => {
      toasts.done(t('transferred', { amount: money(made.amount), from: String(made.fromUserId), to: String(made.toUserId) }));
      reread();
      onClose();
    },
    onRefused: reread,
  });
  const { form, change, isOpen, isPending, error } = keyed;
  const fixed = isOpen || isPending;
  const missing = missingOfTransfer(form);
  const refused = isProblem(error) ? error.fields : [];
  const wrong = (name: 'fromUserId' | 'toUserId' | 'amount' | 'reference') =>
    strict && missing.has(name) ? t(`${name}Needed`) : refused.find(({ pointer }) => pointer === `/${name}`)?.message;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (isOpen || missing.size === 0) keyed.submit();
  };
  const close = () => {
    keyed.giveUp();
    onClose();
  };
  const user = (name: 'fromUserId' | 'toUserId') => ({
    label: t(name),
    hideControls: true,
    allowDecimal: false,
    allowNegative: false,
    disabled: fixed,
    value: form[name] ?? '',
    onChange: (typed: string | number) => change({ [name]: typeof typed === 'number' && typed > 0 && Number.isSafeInteger(typed) ? typed : null }),
  });
  return (
    <Modal opened onClose={close} size="lg" title={t('transferTitle')} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <KeyedNotice keyed={keyed} />
          {error !== null && !fixed && (
            <PostingRefusal error={error} retry={keyed.submit} take={(amount) => change({ amount })} rename={() => change({ reference: newReference() })} />
          )}
          <Group grow align="flex-start">
            <NumberInput {...user('fromUserId')} error={wrong('fromUserId')} data-autofocus={from === null || undefined} />
            <NumberInput {...user('toUserId')} error={strict && missing.has('same') ? t('same') : wrong('toUserId')} data-autofocus={from !== null || undefined} />
          </Group>
          <MoneyInput label={t('amount')} minor={form.amount} disabled={fixed} error={wrong('amount')} onMinor={(amount) => change({ amount })} />
          <TextInput label={t('reference')} description={t('referenceHint')} classNames={{ input: 'mono' }} maxLength={100} disabled={fixed} value={form.reference} error={wrong('reference')} onChange={(event) => change({ reference: event.currentTarget.value })} />
          {!fixed && <TransferPreview form={form} />}
          <Group justify="flex-end">
            <Button onClick={close}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" loading={isPending}>
              {isOpen ? ui('askAgain') : t('transfer')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
