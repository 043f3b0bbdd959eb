import { Button, Tabs } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, type Winner } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { useText } from '@/i18n';
import {
  Banner,
  changesOf,
  contentOfFields,
  History,
  StoredDraft,
  LostRace,
  OutcomeNotice,
  ProblemBanner,
  RecordPage,
  revisionsOf,
  StatusChip,
  useKeyedMutation,
} from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { uiMessages } from '@/ui/messages';
import { readable, type Raw, type TableSearch } from '@/ui/table';
import { Alerts } from './Alerts';
import { Charts } from './Charts';
import styles from './Cockpit.module.css';
import { DataAge } from './DataAge';
import { DeadLetters, shortened } from './DeadLetters';
import { DeletedSale } from './DeletedSale';
import { readFields, useSaleLabels, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { ranges, type Range } from './feed';
import { oneSale, reconcile, saleHistory, type Reconciliation, type Sale, type SaleAction } from './queries';
import { SaleActions } from './SaleActions';
import { SaleStatusChip } from './SaleStatusChip';
import { Strip } from './Strip';
import { Terms } from './Terms';
import { TicketDrawer } from './TicketDrawer';
import { Result, Tiles } from './Tiles';
import { useFeed, type Following } from './useFeed';

export interface CockpitSearch extends TableSearch {
  tab?: 'numbers' | 'dead' | 'history';
  /** The range of the charts, in minutes. */
  range?: `${Range}`;
  /** The open ticket. */
  ticket?: string;
}

/** The page of a flash sale: the location of every unit, the sales rate, and the actions. */
export function Cockpit({ id, search }: { id: number; search: Raw<CockpitSearch> }) {
  const t = useText(saleMessages);
  const edit = useText(editMessages);
  const navigate = useNavigate();
  const query = useQuery(oneSale(id));
  const { ticket, range: asked } = readable<CockpitSearch>(search);
  const range = ranges.find((one) => String(one) === asked) ?? ranges[0];
  const following = useFeed(id, query.data?.status ?? 'draft', range);
  const [lost, setLost] = useState<{ winner: Winner<Sale>; seen: Sale }>();
  const closeTicket = () => void navigate({ to: '.', search: { ...search, ticket: undefined } as never, state: true, resetScroll: false });
  return (
    <RecordPage
      query={query}
      name={query.data?.name ?? `#${id}`}
      parent={{ to: '/flash-sales', label: t('title') }}
      resource={`flash-sales/${id}`}
      chips={({ status }) => <SaleStatusChip status={status} />}
      renderDraft={(form: SaleFields, forget) => <DeletedSale id={id} form={form} onForget={forget} />}
      actions={(sale) => (
        <>
          {sale.status !== 'draft' && <DataAge following={following} status={sale.status} />}
          <SaleActions sale={sale} stats={following.last?.stats} onStart={() => setLost(undefined)} onLost={(winner, seen) => setLost({ winner, seen })} />
        </>
      )}
    >
      {(sale, { isDeleted: gone }) => (
        <>
          {gone && (
            <StoredDraft<SaleFields> resource={`flash-sales/${id}`} name={sale.name} otherwise={<Banner tone="bad" title={edit('deleted')} />}>
              {(form, forget) => <DeletedSale id={id} form={form} onForget={forget} />}
            </StoredDraft>
          )}
          {lost !== undefined && <LostStep {...lost} onClose={() => setLost(undefined)} />}
          <Numbers sale={sale} following={following} />
          <Terms sale={sale} />
          {!gone && <Waiting resource={`flash-sales/${id}`} />}
          <Panels sale={sale} search={search} following={following} range={range} />
          {ticket !== undefined && <TicketDrawer id={id} ticket={ticket} onClose={closeTicket} />}
        </>
      )}
    </RecordPage>
  );
}

function LostStep({ winner, seen, onClose }: { winner: Winner<Sale>; seen: Sale; onClose: () => void }) {
  const t = useText(saleMessages);
  const { current } = winner;
  const name = (action: SaleAction) => t(`${action}Action`).replace('…', '');
  return (
    <LostRace
      winner={winner}
      status={t(current.status)}
      onlyTerms={current.status === seen.status}
      actions={current.allowedTransitions.map(name)}
      onClose={onClose}
    />
  );
}

/** The location of the sale's units, and the result of the last reconciliation. */
function Numbers({ sale, following: { last, feed, error, retry } }: { sale: Sale; following: Following }) {
  const t = useText(saleMessages);
  const mayWrite = useMay()('flash-sales:write');
  const reconciling = useKeyedMutation<object, Reconciliation>({
    scope: `flash-sales/${sale.id}/reconcile`,
    title: `${t('reconcile')} · ${sale.name}`,
    topics: ['flash-sales'],
    send: (_, key) => reconcile(sale.id, key),
    onDone: () => undefined,
  });
  const { outcome, reply } = reconciling;
  if (sale.status === 'draft') {
    return (
      <Banner tone="info" title={t('notOpened')}>
        {t('notOpenedHint')}
      </Banner>
    );
  }
  return (
    <>
      {error !== null && <ProblemBanner error={error} retry={retry} />}
      {last !== undefined && (
        <>
          <Alerts sale={sale} stats={last.stats} />
          {sale.status === 'closed' ? <Result sale={sale} stats={last.stats} /> : <Tiles sale={sale} stats={last.stats} feed={feed} />}
          <Strip
            stats={last.stats}
            onReconcile={mayWrite && outcome !== 'unknown' ? () => reconciling.run({}) : undefined}
            isReconciling={outcome === 'sending'}
          >
            <OutcomeNotice write={reconciling} />
            {outcome === 'rejected' && <ProblemBanner error={reconciling.error} />}
            {outcome === 'done' && reply !== undefined && <Reconciled found={reply} close={reconciling.reset} />}
          </Strip>
        </>
      )}
    </>
  );
}

/** The findings and repairs of a reconciliation. */
function Reconciled({ found, close }: { found: Reconciliation; close: () => void }) {
  const t = useText(saleMessages);
  const ui = useText(uiMessages);
  const { rebuilt, repaired, released, sold, liveUnits, consistent } = found;
  const mended = rebuilt || repaired > 0;
  const labels = t('reconciliation', { repaired, released, sold, live: liveUnits });
  return (
    <Banner
      tone={!consistent ? 'bad' : mended ? 'warn' : 'ok'}
      title={t(!consistent ? 'reconciledBad' : mended ? 'reconciledMended' : 'reconciledFine')}
      action={<Button onClick={close}>{ui('understood')}</Button>}
    >
      {rebuilt ? `${labels} · ${t('rebuilt')}` : labels}
    </Banner>
  );
}

interface PanelsProps {
  sale: Sale;
  search: Raw<CockpitSearch>;
  following: Following;
  range: Range;
}

function Panels({ sale, search, following, range }: PanelsProps) {
  const t = useText(saleMessages);
  const navigate = useNavigate();
  const isDraft = sale.status === 'draft';
  const tab = isDraft ? 'history' : (readable<CockpitSearch>(search).tab ?? 'numbers');
  const dead = following.last?.stats.dead ?? 0;
  const show = (shown: string, back: Range) =>
    void navigate({
      to: '.',
      search: { tab: shown === 'numbers' ? undefined : shown, range: back === ranges[0] ? undefined : String(back) } as never,
      replace: true,
      resetScroll: false,
    });
  return (
    <Tabs value={tab} keepMounted={false} onChange={(chosen) => show(chosen ?? 'numbers', range)}>
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
        <Charts sale={sale} following={following} range={range} onRange={(chosen) => show(tab, chosen)} />
      </Tabs.Panel>
      <Tabs.Panel value="dead" className={styles.panel}>
        <DeadLetters id={sale.id} search={search} />
      </Tabs.Panel>
      <Tabs.Panel value="history" className={styles.panel}>
        <Revisions id={sale.id} />
      </Tabs.Panel>
    </Tabs>
  );
}

const actions = {
  create: 'onCreate',
  update: 'onUpdate',
  open: 'onOpen',
  pause: 'onPause',
  resume: 'onResume',
  close: 'onClose',
  retry_dead: 'onRetry',
  discard_dead: 'onDiscard',
} as const;

/** Every version of a sale with its changes, including the decisions about dead letters. The note of such a decision is the ticket. */
function Revisions({ id }: { id: number }) {
  const t = useText(saleMessages);
  const query = useInfiniteQuery(saleHistory(id));
  const revisions = revisionsOf(query);
  return (
    <History
      title={t('historyTab')}
      query={query}
      labels={useSaleLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        note: '',
        action: t(actions[revision.action], { ticket: shortened(revision.note) }),
        changes: changesOf(revisions, i, (one) => contentOfFields({ ...readFields(one), status: one.status })),
      }))}
    />
  );
}
