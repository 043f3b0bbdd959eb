import { Button, Loader, Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Money, PageHeader, Person, ProblemBanner, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { EntryDialog } from './EntryDialog';
import { EntryTable } from './EntryTable';
import { walletMessages } from './messages';
import { oneWallet, type EntrySearch, type Wallet } from './queries';
import { TransferDialog } from './TransferDialog';
import styles from './WalletPage.module.css';

interface Props {
  userId: string;
  /** Which entries are shown. */
  search: EntrySearch;
}

/** The balance of a user, everything that made it, and the ways to change it. */
export function WalletPage({ userId, search }: Props) {
  const t = useText(walletMessages);
  const ui = useText(uiMessages);
  const { data: wallet, error, refetch } = useQuery(oneWallet(userId));
  const mayWrite = useMay()('wallets:write') && wallet !== undefined;
  const [dialog, setDialog] = useState<'entry' | 'transfer'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <PageHeader title={t('wallet', { user: userId })} parent={{ to: '/wallets', label: t('title') }}>
        {mayWrite && (
          <>
            <Button variant="filled" onClick={() => setDialog('entry')}>
              {t('enter')}
            </Button>
            <Button onClick={() => setDialog('transfer')}>{t('transfer')}</Button>
          </>
        )}
      </PageHeader>
      <Stack gap="md">
        {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
        {wallet === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        {wallet !== undefined && <Balance wallet={wallet} />}
        {wallet !== undefined && <EntryTable userId={userId} search={search} />}
      </Stack>
      {dialog === 'entry' && wallet !== undefined && <EntryDialog wallet={wallet} onClose={close} />}
      {dialog === 'transfer' && <TransferDialog from={userId} onClose={close} />}
    </>
  );
}

function Balance({ wallet }: { wallet: Wallet }) {
  const t = useText(walletMessages);
  return (
    <Paper component="section" p="lg" aria-labelledby="balance">
      <Title order={2} id="balance">
        {t('balance')}
      </Title>
      <div className={styles.balance}>
        <Money minor={wallet.balance} />
      </div>
      <div className={styles.hint}>
        {wallet.updatedBy === null || wallet.updatedTime === null ? (
          t('untouched')
        ) : (
          <>
            {t('updated')} <When time={wallet.updatedTime} /> · <Person person={wallet.updatedBy} />
          </>
        )}
      </div>
    </Paper>
  );
}
