import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { useText } from '@/i18n';
import { ActButton, Changed, CustomerLink, Money, pathOf, RecordPage, Section } from '@/ui';
import type { Raw } from '@/ui/table';
import { EntryDialog } from './EntryDialog';
import { EntryTable } from './EntryTable';
import { walletMessages } from './messages';
import { oneWallet, type EntrySearch } from './queries';
import { TransferDialog } from './TransferDialog';
import styles from './WalletPage.module.css';

interface Props {
  userId: string;
  /** The displayed entries. */
  search: Raw<EntrySearch>;
}

/** The page of a wallet: balance, entries and actions. */
export function WalletPage({ userId, search }: Props) {
  const t = useText(walletMessages);
  const query = useQuery(oneWallet(userId));
  const mayWrite = useMay()('wallets:write');
  const [dialog, setDialog] = useState<'entry' | 'transfer'>();
  const close = () => setDialog(undefined);
  const path = pathOf('wallets', userId);
  return (
    <RecordPage
      query={query}
      name={t('wallet', { user: userId })}
      parent={{ to: '/wallets', label: t('title') }}
      resource={path}
      actions={() =>
        mayWrite && (
          <>
            <CustomerLink userId={userId}>{t('customer')}</CustomerLink>
            <ActButton variant="filled" onClick={() => setDialog('entry')}>
              {t('enter')}
            </ActButton>
            <ActButton onClick={() => setDialog('transfer')}>{t('transfer')}</ActButton>
          </>
        )
      }
    >
      {(wallet) => (
        <>
          <Waiting resource={path} />
          <Section title={t('balance')}>
            <div className={styles.balance}>
              <Money minor={wallet.balance} />
            </div>
            <Changed record={wallet} label={t('updated')} untouched={t('untouched')} />
          </Section>
          <EntryTable userId={userId} search={search} />
          {dialog === 'entry' && <EntryDialog wallet={wallet} onClose={close} />}
          {dialog === 'transfer' && <TransferDialog from={userId} onClose={close} />}
        </>
      )}
    </RecordPage>
  );
}
