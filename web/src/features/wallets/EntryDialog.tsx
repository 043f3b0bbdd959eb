import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { KeyedNotice, useKeyedForm, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { uiMessages } from '@/ui/messages';
import { walletMessages } from './messages';
import { missingOfPosting, newReference, openPosting, postingOf, signedAmount, type PostingForm } from './posting';
import { PostingRefusal } from './PostingRefusal';
import { enter, type Entry, type Wallet } from './queries';

interface Props {
  wallet: Wallet;
  onClose: () => void;
}

/** Credits or debits a wallet. No number changes before the service has answered. */
export function EntryDialog({ wallet, onClose }: Props) {
  const t = useText(walletMessages);
  const ui = useText(uiMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { userId } = wallet;
  const [strict, setStrict] = useState(false);
  const reread = () => void queries.invalidateQueries({ queryKey: ['wallets'] });
  const keyed = useKeyedForm<PostingForm, Entry>({
    scope: `wallets/${userId}/entries`,
    open: openPosting,
    send: (form, key) => enter(userId, postingOf(form), key),
    onDone: ({ amount, balance }) => {
      toasts.done(t('entered', { amount: money(amount), balance: money(balance) }));
      reread();
      onClose();
    },
    onRefused: reread,
  });
  const { form, change, isOpen, isPending, error } = keyed;
  const fixed = isOpen || isPending;
  const missing = missingOfPosting(form);
  const after = wallet.balance + signedAmount(form);
  const refused = isProblem(error) ? error.fields : [];
  const wrong = (name: 'amount' | 'kind' | 'reference') =>
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
  return (
    <Modal opened onClose={close} size="lg" title={t('enterTitle', { user: String(userId) })} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <KeyedNotice keyed={keyed} />
          {error !== null && !fixed && (
            <PostingRefusal error={error} retry={keyed.submit} take={(amount) => change({ amount })} rename={() => change({ reference: newReference() })} />
          )}
          <SegmentedControl
            aria-label={t('side')}
            disabled={fixed}
            value={form.side}
            data={[
              { value: 'credit', label: t('credit') },
              { value: 'debit', label: t('debit') },
            ]}
            onChange={(side) => change({ side })}
          />
          <MoneyInput label={t('amount')} minor={form.amount} disabled={fixed} error={wrong('amount')} onMinor={(amount) => change({ amount })} data-autofocus />
          <TextInput label={t('kind')} description={t('kindHint')} maxLength={32} disabled={fixed} value={form.kind} error={wrong('kind')} onChange={(event) => change({ kind: event.currentTarget.value.trim() })} />
          <TextInput label={t('reference')} description={t('referenceHint')} classNames={{ input: 'mono' }} maxLength={100} disabled={fixed} value={form.reference} error={wrong('reference')} onChange={(event) => change({ reference: event.currentTarget.value })} />
          {form.amount !== null && !fixed && (
            <Text c={after < 0 ? 'bad' : 'dimmed'} className="tabular">
              {t('preview', { before: money(wallet.balance), after: money(after) })}. {t('previewHint')}
            </Text>
          )}
          <Group justify="flex-end">
            <Button onClick={close}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" color={form.side === 'debit' ? 'warn' : 'accent'} loading={isPending}>
              {isOpen ? ui('askAgain') : t(form.side)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
