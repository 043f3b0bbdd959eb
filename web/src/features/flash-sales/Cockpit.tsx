import { Button, Group, Loader, Stack, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isProblem, useIdempotencyKey, useMay, useUser } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Avatar, Banner, EtagVersion, PageHeader, ProblemBanner, StatusChip, useNow, usePresence } from '@/ui';
import { uiMessages } from '@/ui/messages';
import type { TableSearch } from '@/ui/table';
import { Charts } from './Charts';
import styles from './Cockpit.module.css';
import { DataAge } from './DataAge';
import { DeadLetters } from './DeadLetters';
import { saleMessages } from './messages';
import { oneSale, reconcile, type Reconciliation, type Sale } from './queries';
import { SaleActions } from './SaleActions';
import { SaleRevisions } from './SaleRevisions';
import { SaleStatusChip } from './SaleStatusChip';
import { Strip } from './Strip';
import { Terms } from './Terms';
import { Tiles } from './Tiles';
import { useFeed } from './useFeed';
import type { Winner } from './winner';

export interface CockpitSearch extends TableSearch {
  tab?: 'numbers' | 'dead' | 'history';
}

/** One flash sale while it goes on: where every unit is, how fast it sells, and the levers. */
export function Cockpit({ id, search }: { id: number; search: CockpitSearch }) {
  const t = useText(saleMessages);
  const ui = useText(uiMessages);
  const { data: sale, error, refetch } = useQuery(oneSale(id));
  if (sale === undefined || isProblem(error, 'not_found')) {
    return (
      <>
        <PageHeader title={sale?.name ?? `#${id}`} parent={{ to: '/flash-sales', label: t('title') }} />
        {error === null ? <Loader role="img" aria-label={ui('loading')} /> : <ProblemBanner error={error} retry={() => void refetch()} />}
      </>
    );
  }
  return <Loaded sale={sale} search={search} error={error} retry={() => void refetch()} />;
}

function Loaded({ sale, search, error, retry }: { sale: Sale; search: CockpitSearch; error: Error | null; retry: () => void }) {
  const t = useText(saleMessages);
  const others = usePresence(`flash-sales/${sale.id}`);
  const following = useFeed(sale);
  const [winner, setWinner] = useState<Winner>();
  const { run, isReconciling, found, problem, forget } = useReconcile(sale.id);
  const mayWrite = useMay()('flash-sales:write');
  const isDraft = sale.status === 'draft';
  const { last, feed } = following;
  const here = t('here', { names: others.map(({ person }) => person.name).join(', ') });
  return (
    <>
      <PageHeader
        title={sale.name}
        parent={{ to: '/flash-sales', label: t('title') }}
        chips={
          <>
            <SaleStatusChip status={sale.status} />
            <EtagVersion version={sale.version} etag={sale.etag} tone="neutral" />
          </>
        }
      >
        {others.length > 0 && (
          <Group gap={4} role="img" aria-label={here} title={here}>
            {others.map(({ person }) => (
              <Avatar key={person.id} person={person} />
            ))}
          </Group>
        )}
        {!isDraft && <DataAge following={following} status={sale.status} />}
        <SaleActions sale={sale} stats={last?.stats} onStart={() => setWinner(undefined)} onLost={setWinner} />
      </PageHeader>
      <Stack gap="md">
        {error !== null && <ProblemBanner error={error} retry={retry} />}
        {winner !== undefined && <Lost winner={winner} close={() => setWinner(undefined)} />}
        {following.error !== null && !isDraft && <ProblemBanner error={following.error} retry={following.retry} />}
        {isDraft && (
          <Banner tone="info" title={t('notOpened')}>
            {t('notOpenedHint')}
          </Banner>
        )}
        {!isDraft && last !== undefined && (
          <>
            <Tiles sale={sale} stats={last.stats} feed={feed} />
            <Strip stats={last.stats} onReconcile={mayWrite ? run : undefined} isReconciling={isReconciling}>
              {problem !== null && <ProblemBanner error={problem} />}
              {found !== undefined && <Reconciled found={found} close={forget} />}
            </Strip>
          </>
        )}
        <Terms sale={sale} />
        <Panels sale={sale} search={search} following={following} />
      </Stack>
    </>
  );
}

function Panels({ sale, search, following }: { sale: Sale; search: CockpitSearch; following: ReturnType<typeof useFeed> }) {
  const t = useText(saleMessages);
  const navigate = useNavigate();
  const isDraft = sale.status === 'draft';
  const tab = isDraft ? 'history' : (search.tab ?? 'numbers');
  const dead = following.last?.stats.dead ?? 0;
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(chosen) => void navigate({ to: '.', search: (chosen === 'numbers' ? {} : { tab: chosen }) as never, replace: true, resetScroll: false })}
    >
      <Tabs.List aria-label={t('tabs')}>
        {!isDraft && <Tabs.Tab value="numbers">{t('numbersTab')}</Tabs.Tab>}
        {!isDraft && (
          <Tabs.Tab value="dead" rightSection={dead > 0 && <StatusChip tone="warn">{dead}</StatusChip>}>
            {t('deadTab')}
          </Tabs.Tab>
        )}
        <Tabs.Tab value="history">{t('historyTab')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="numbers" className={styles.panel}>
        <Charts sale={sale} feed={following.feed} />
      </Tabs.Panel>
      <Tabs.Panel value="dead" className={styles.panel}>
        <DeadLetters id={sale.id} search={search} />
      </Tabs.Panel>
      <Tabs.Panel value="history" className={styles.panel}>
        <SaleRevisions id={sale.id} />
      </Tabs.Panel>
    </Tabs>
  );
}

function useReconcile(id: number) {
  const queries = useQueryClient();
  const { key, renew } = useIdempotencyKey(`flash-sales/${id}/reconcile`);
  const mutation = useMutation({
    mutationFn: () => reconcile(id, key),
    onSettled: (_, error) => {
      if (!isProblem(error) || !error.isOutcomeUnknown) renew();
      void queries.invalidateQueries({ queryKey: ['flash-sales'] });
    },
  });
  return { run: () => mutation.mutate(), isReconciling: mutation.isPending, found: mutation.data, problem: mutation.error, forget: mutation.reset };
}

/** What a reconciliation found and mended. */
function Reconciled({ found, close }: { found: Reconciliation; close: () => void }) {
  const t = useText(saleMessages);
  const { rebuilt, repaired, released, sold, liveUnits, consistent } = found;
  const mended = rebuilt || repaired > 0;
  const words = t('reconciliation', { repaired, released, sold, live: liveUnits });
  return (
    <Banner
      tone={!consistent ? 'bad' : mended ? 'warn' : 'ok'}
      title={t(!consistent ? 'reconciledBad' : mended ? 'reconciledMended' : 'reconciledFine')}
      action={<Button onClick={close}>{t('dismiss')}</Button>}
    >
      {rebuilt ? `${words} · ${t('rebuilt')}` : words}
    </Banner>
  );
}

function Lost({ winner, close }: { winner: Winner; close: () => void }) {
  const t = useText(saleMessages);
  const format = useFormat();
  const now = useNow();
  const me = useUser().id;
  const { sale, by, time, onlyTerms } = winner;
  const who = by.id === me ? t('you') : by.name;
  const when = format.relative(time, now);
  const actions = format.list(sale.allowedTransitions.map((action) => t(`${action}Action`).replace('…', '')));
  return (
    <Banner
      tone="warn"
      title={onlyTerms ? t('changedMeanwhile', { who, when }) : t('lost', { status: t(sale.status), who, when })}
      action={<Button onClick={close}>{t('dismiss')}</Button>}
    >
      {onlyTerms ? t('changedHint') : actions === '' ? t('lostNothing') : t('lostHint', { actions })}
    </Banner>
  );
}
