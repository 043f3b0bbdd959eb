import { SegmentedControl, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { MoneyInput } from '@/ui/MoneyInput';
import { walletMessages } from './messages';
import { missingOfPosting, needsOf, newReference, openPosting, postingOf, signedAmount, type PostingForm } from './posting';
import { usePostingRejection } from './usePostingRejection';
import { enter, oneWallet, type Entry, type Wallet } from './queries';

interface Props {
  wallet: Wallet;
  onClose: () => void;
}

/** The dialog that credits or debits a wallet. The page shows the new balance only after the service has confirmed it. */
export function EntryDialog({ wallet, onClose }: Props) {
  const t = useText(walletMessages);
  const edit = useText(editMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const { userId } = wallet;
  const title = t('enterTitle', { user: userId });
  const keyed = useKeyedForm<PostingForm, Entry>({
    scope: `wallets/${userId}/entries`,
    title,
    topics: ['wallets'],
    open: openPosting,
    isComplete: (typed) => missingOfPosting(typed).size === 0,
    send: (form, key) => enter(userId, postingOf(form), key),
    onDone: ({ amount, balance }) => {
      toasts.done(t('entered', { amount: money(amount), balance: money(balance) }));
      onClose();
    },
  });
  const { form, change, isFixed } = keyed;
  const missing = missingOfPosting(form);
  const { errorOf, hasInput } = useFaults(keyed, ['amount', 'kind', 'reference'], (name) => missing.has(name) && t(`${name}Needed`));
  const rejection = usePostingRejection(
    (amount) => change({ amount }),
    () => change({ reference: newReference() }),
  );
  // Read the wallet again: the service sends no event when the approval threshold in the settings changes.
  const { data: now = wallet } = useQuery({ ...oneWallet(userId), refetchOnMount: 'always' });
  const needs = needsOf(now, form);
  const after = wallet.balance + signedAmount(form);
  return (
    <FormDialog
      form={keyed}
      title={title}
      confirm={needs === undefined ? t(form.side) : edit('propose')}
      color={form.side === 'debit' ? 'warn' : 'accent'}
      hasInput={hasInput}
      renderRejection={rejection}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={t('side')}
        disabled={isFixed}
        value={form.side}
        data={[
          { value: 'credit', label: t('credit') },
          { value: 'debit', label: t('debit') },
        ]}
        onChange={(side) => change({ side })}
      />
      <MoneyInput
        label={t('amount')}
        minor={form.amount}
        disabled={isFixed}
        error={errorOf('amount')}
        onMinor={(amount) => change({ amount })}
        data-autofocus
      />
      <TextInput
        label={t('kind')}
        description={t('kindHint')}
        maxLength={32}
        disabled={isFixed}
        value={form.kind}
        error={errorOf('kind')}
        onChange={(event) => change({ kind: event.currentTarget.value.trim() })}
      />
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
      {form.amount !== null && !isFixed && (
        <Text c={after < 0 ? 'bad' : 'dimmed'} className="tabular">
          {t('preview', { before: money(wallet.balance), after: money(after) })}. {t('previewHint')}
        </Text>
      )}
      {needs !== undefined && !isFixed && <Banner tone="info" title={t('needs', { amount: money(needs.above), n: needs.approvals })} />}
    </FormDialog>
  );
}
