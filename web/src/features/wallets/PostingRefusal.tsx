import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, Person, ProblemBanner, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { walletMessages } from './messages';
import { oneWallet, type Shortfall, type UsedReference } from './queries';

interface Props {
  error: Error;
  /** Which places of the request have an input that says what is wrong. */
  told: (pointer: string) => boolean;
  /** Sends the same again under the same key. */
  retry: () => void;
  /** Asks for so much instead. */
  take: (amount: number) => void;
  /** Takes another reference. */
  rename: () => void;
}

/** Why money did not move, what is there instead, and what can be done. */
export function PostingRefusal({ error, told, retry, take, rename }: Props) {
  const t = useText(walletMessages);
  const ui = useText(uiMessages);
  const { money } = useFormat();
  if (isProblem(error, 'insufficient_balance')) return <Short shortfall={error.as<Shortfall>()} take={take} />;
  if (isProblem(error, 'resource_locked')) {
    return (
      <Banner tone="warn" title={t('locked')} action={<Button onClick={retry}>{ui('retry')}</Button>}>
        {t('lockedHint')}
      </Banner>
    );
  }
  if (isProblem(error, 'payload_mismatch')) {
    const { first } = error.as<UsedReference>();
    return (
      <Banner
        tone="warn"
        title={t.rich('used', { amount: money(first.amount), who: first.createdBy.name, when: <When time={first.createdTime} /> })}
        action={<Button onClick={rename}>{t('newReference')}</Button>}
      >
        {t('usedHint')}
      </Banner>
    );
  }
  if (isProblem(error, 'validation_failed') && error.fields.length > 0 && error.fields.every(({ pointer }) => told(pointer))) return null;
  return <ProblemBanner error={error} told={told} />;
}

/** How much there is, and who left it so. */
function Short({ shortfall, take }: { shortfall: Shortfall; take: (amount: number) => void }) {
  const t = useText(walletMessages);
  const { money } = useFormat();
  const { userId, balance, wanted } = shortfall;
  const { data: wallet } = useQuery(oneWallet(userId));
  return (
    <Banner
      tone="warn"
      title={t('short', { user: userId, balance: money(balance), wanted: money(wanted) })}
      action={balance > 0 && <Button onClick={() => take(balance)}>{t('takeAll', { balance: money(balance) })}</Button>}
    >
      {wallet?.balance === balance && wallet.updatedBy !== null && wallet.updatedTime !== null && (
        <>{t.rich('shortBy', { who: <Person person={wallet.updatedBy} />, when: <When time={wallet.updatedTime} /> })} </>
      )}
      {t('shortHint')}
    </Banner>
  );
}
