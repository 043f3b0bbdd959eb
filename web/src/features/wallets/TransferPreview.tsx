import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { isCustomerId } from '@/api';
import { useFormat, useText } from '@/i18n';
import { walletMessages } from './messages';
import { neededFor, type TransferForm } from './posting';
import { oneWallet } from './queries';
import styles from './WalletPage.module.css';

const typing = 250;

/** The balances of both wallets before and after the transfer. */
export function TransferPreview({ form: { fromUserId, toUserId, amount } }: { form: TransferForm }) {
  if (!isCustomerId(fromUserId) && !isCustomerId(toUserId)) return null;
  return (
    <dl className={styles.preview}>
      {isCustomerId(fromUserId) && <Side userId={fromUserId} change={-(amount ?? 0)} />}
      {isCustomerId(toUserId) && toUserId !== fromUserId && <Side userId={toUserId} change={amount ?? 0} />}
    </dl>
  );
}

function Side({ userId, change }: { userId: string; change: number }) {
  const t = useText(walletMessages);
  const { money } = useFormat();
  const [settled] = useDebouncedValue(userId, typing);
  const { data: wallet } = useQuery(oneWallet(settled));
  const needs = wallet?.userId === userId ? neededFor(wallet, change) : undefined;
  return (
    <div className={styles.row}>
      <dt>{t('wallet', { user: userId })}</dt>
      <dd className="tabular">{wallet?.userId === userId ? money(wallet.balance) : '…'}</dd>
      {needs !== undefined && <dd>{t('needs', { amount: money(needs.above), n: needs.approvals })}</dd>}
      <dd className="tabular">{wallet?.userId === userId && change !== 0 && t('would', { balance: money(wallet.balance + change) })}</dd>
    </div>
  );
}
