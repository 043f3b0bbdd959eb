import { Button, Group, Text } from '@mantine/core';
import { isProblem, useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { CustomerLink, useBulkActions, type BulkAction } from '@/ui';
import { DataTable, useColumn, useList, useSelection, type Column, type Raw, type TableSearch } from '@/ui/table';
import { saleMessages } from './messages';
import { decideDead, readDead, type DeadDecision, type DeadLetter } from './queries';

const decisions: readonly DeadDecision[] = ['retry', 'discard'];
/** The refresh interval of the list, in ms. It polls because the service sends no event for dead letters. */
const pause = 10_000;
const rowId = ({ messageId }: DeadLetter) => messageId;

/** The dead letters of a sale, oldest first, with the possible decisions. */
export function DeadLetters({ id, search }: { id: number; search: Raw<TableSearch> }) {
  const t = useText(saleMessages);
  const mayWrite = useMay()('flash-sales:write');
  const list = useList<TableSearch, DeadLetter>({
    search,
    queryKey: ['flash-sales', 'one', String(id), 'dead'],
    read: (asked, signal) => readDead(id, asked, signal),
    refetchInterval: pause,
  });
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: `flash-sales/${id}/dead`, topic: 'flash-sales', actions: useDecisions(id), list, rowId, selection });
  return (
    <>
      {bulk.rest}
      <DataTable
        id="flash-sale-dead"
        label={t('deadTab')}
        columns={useColumns(mayWrite ? (decision, letter) => bulk.open(decision, [letter]) : undefined)}
        rowId={rowId}
        rowLabel={rowId}
        list={list}
        searchable={false}
        selection={mayWrite ? selection : undefined}
        bulk={bulk.buttons}
        empty={{ title: t('deadEmpty'), hint: t('deadEmptyHint') }}
      />
    </>
  );
}

function useDecisions(id: number): readonly BulkAction<DeadLetter>[] {
  const t = useText(saleMessages);
  return decisions.map((decision) => ({
    id: decision,
    labels: {
      button: t(decision),
      title: (n) => t(decision === 'retry' ? 'retryTitle' : 'discardTitle', { n }),
      hint: t(decision === 'retry' ? 'retryBody' : 'discardBody'),
      confirm: () => t(decision === 'retry' ? 'start' : 'startDiscard'),
    },
    isDangerous: () => decision === 'discard',
    size: 1,
    open: () => ({}),
    skip: () => undefined,
    preview: ({ quantity }) => <Text c="dimmed">{t('atMost', { n: quantity })}</Text>,
    item: ({ messageId }) => ({ id: messageId, label: messageId }),
    send: async ([letter], _, key) => {
      if (letter === undefined) return [];
      try {
        await decideDead(id, letter.id, decision, key);
        return [{ id: letter.id, verdict: 'done' }];
      } catch (error) {
        // Another user has already decided.
        if (isProblem(error, 'not_found')) return [{ id: letter.id, verdict: 'gone' }];
        throw error;
      }
    },
    describe: ({ verdict }) => (verdict === 'gone' ? t('alreadyDecided') : undefined),
  }));
}

function useColumns(decide: ((decision: DeadDecision, letter: DeadLetter) => void) | undefined): Column<DeadLetter>[] {
  const t = useText(saleMessages);
  const { duration } = useFormat();
  const column = useColumn<DeadLetter>();
  const columns: Column<DeadLetter>[] = [
    column.text('ticket', t('ticket'), (d) => d.messageId, {
      cell: (d) => <span title={d.messageId}>{shortened(d.messageId)}</span>,
      mono: true,
      narrow: true,
    }),
    column.text('customer', t('customer'), (d) => d.userId, { cell: (d) => (d.userId === '' ? t('unreadable') : <CustomerLink userId={d.userId} />) }),
    column.count('units', t('units'), (d) => d.quantity),
    column.text('error', t('error'), (d) => d.error),
    column.count('attempts', t('attempts'), (d) => d.attempts),
    column.count('age', t('age'), (d) => Math.round(d.ageSeconds), { cell: (d) => duration(d.ageSeconds * 1000), fileHeader: t('ageSeconds') }),
    column.time('queuedSince', t('queuedSince'), (d) => d.enqueuedTime, { optional: true }),
  ];
  if (decide === undefined) return columns;
  return [
    ...columns,
    {
      id: 'actions',
      header: t('actions'),
      cell: (letter) => (
        <Group gap={6} wrap="nowrap" justify="flex-end">
          {decisions.map((decision) => (
            <Button key={decision} size="compact-sm" onClick={() => decide(decision, letter)}>
              {t(decision)}
            </Button>
          ))}
        </Group>
      ),
      align: 'end',
      narrow: true,
    },
  ];
}

const ends = 6;

/** A ticket shortened to its start and end. */
export function shortened(ticket: string): string {
  return ticket.length <= 2 * ends + 1 ? ticket : `${ticket.slice(0, ends)}…${ticket.slice(-ends)}`;
}
