import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, Person, When } from '@/ui';
import { walletMessages } from './messages';
import { oneWallet, type Shortfall, type UsedReference } from './queries';

/** Explains why no money moved, with the current balance, and offers a possible amount or a new reference. */
export function usePostingRejection(take: (amount: number) => void, rename: () => void): (error: Error) => ReactNode {
  const t = useText(walletMessages);
  const { money } = useFormat();
  return (error) => {
    if (isProblem(error, 'insufficient_balance')) return <Short shortfall={error.as<Shortfall>()} take={take} />;
    if (!isProblem(error, 'payload_mismatch')) return undefined;
    const { amount, createdBy, createdTime } = error.as<UsedReference>().first;
    const title = t.rich('used', { amount: money(amount), who: createdBy.name, when: <When time={createdTime} /> });
    return (
      <Banner tone="warn" title={title} action={<Button onClick={rename}>{t('newReference')}</Button>}>
        {t('usedHint')}
      </Banner>
    );
  };
}

/** The current balance, and the author of its last change. */
function Short({ shortfall: { userId, balance, wanted }, take }: { shortfall: Shortfall; take: (amount: number) => void }) {
  const t = useText(walletMessages);
  const { money } = useFormat();
  const { data: wallet } = useQuery(oneWallet(userId));
  return (
    <Banner
      tone="warn"
      title={t('short', { user: userId, balance: money(balance), wanted: money(wanted) })}
      action={balance > 0 && <Button onClick={() => take(balance)}>{t('useBalance', { balance: money(balance) })}</Button>}
    >
      {wallet?.balance === balance && wallet.updatedBy !== null && wallet.updatedTime !== null && (
        <>{t.rich('shortBy', { who: <Person person={wallet.updatedBy} />, when: <When time={wallet.updatedTime} /> })} </>
      )}
      {t('shortHint')}
    </Banner>
  );
}
