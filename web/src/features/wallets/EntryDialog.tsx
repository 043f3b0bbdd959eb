import { SegmentedControl, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { useKeyedForm, usePlaceText, useToasts } from '@/ui';
import { KeyedDialog } from '@/ui/edit/KeyedDialog';
import { MoneyInput } from '@/ui/MoneyInput';
import { walletMessages } from './messages';
import { missingOfPosting, newReference, openPosting, postingOf, signedAmount, type PostingForm } from './posting';
import { PostingRefusal } from './PostingRefusal';
import { enter, type Entry, type Wallet } from './queries';

/** What has an input, by its name in the request. */
const inputs = ['amount', 'kind', 'reference'] as const;

interface Props {
  wallet: Wallet;
  onClose: () => void;
}

/** Credits or debits a wallet. No number changes before the service has answered. */
export function EntryDialog({ wallet, onClose }: Props) {
  const t = useText(walletMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { userId } = wallet;
  const reread = () => void queries.invalidateQueries({ queryKey: ['wallets'] });
  const keyed = useKeyedForm<PostingForm, Entry>({
    scope: `wallets/${userId}/entries`,
    open: openPosting,
    isComplete: (typed) => missingOfPosting(typed).size === 0,
    send: (form, key) => enter(userId, postingOf(form), key),
    onDone: ({ amount, balance }) => {
      toasts.done(t('entered', { amount: money(amount), balance: money(balance) }));
      reread();
      onClose();
    },
    onRefused: reread,
  });
  const { form, change, isFixed, strict, error } = keyed;
  const refused = usePlaceText(error);
  const missing = missingOfPosting(form);
  const after = wallet.balance + signedAmount(form);
  const wrong = (name: (typeof inputs)[number]) =>
    strict && missing.has(name) ? t(`${name}Needed`) : refused(`/${name}`);
  return (
    <KeyedDialog
      keyed={keyed}
      title={t('enterTitle', { user: userId })}
      confirm={t(form.side)}
      color={form.side === 'debit' ? 'warn' : 'accent'}
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
      <MoneyInput label={t('amount')} minor={form.amount} disabled={isFixed} error={wrong('amount')} onMinor={(amount) => change({ amount })} data-autofocus />
      <TextInput label={t('kind')} description={t('kindHint')} maxLength={32} disabled={isFixed} value={form.kind} error={wrong('kind')} onChange={(event) => change({ kind: event.currentTarget.value.trim() })} />
      <TextInput label={t('reference')} description={t('referenceHint')} classNames={{ input: 'mono' }} maxLength={100} disabled={isFixed} value={form.reference} error={wrong('reference')} onChange={(event) => change({ reference: event.currentTarget.value })} />
      {form.amount !== null && !isFixed && (
        <Text c={after < 0 ? 'bad' : 'dimmed'} className="tabular">
          {t('preview', { before: money(wallet.balance), after: money(after) })}. {t('previewHint')}
        </Text>
      )}
    </KeyedDialog>
  );
}
