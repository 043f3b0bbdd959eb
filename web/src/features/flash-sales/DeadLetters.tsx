import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { When } from '@/ui';
import { DataTable, useSelection, useTableState, type Column, type TableSearch } from '@/ui/table';
import { DeadDialog, shortened } from './DeadDialog';
import { saleMessages } from './messages';
import { deadLetters, readDead, type DeadDecision, type DeadLetter } from './queries';

interface Deciding {
  decision: DeadDecision;
  only: DeadLetter | undefined;
}

/** The tickets of a sale that were given up, longest dead first, and what to do with them. */
export function DeadLetters({ id, search }: { id: number; search: TableSearch }) {
  const t = useText(saleMessages);
  const mayWrite = useMay()('flash-sales:write');
  const { cursor, limit } = search;
  const state = useTableState(search);
  const query = useQuery({ ...deadLetters(id, { cursor, limit: state.limit }), refetchInterval: 10_000 });
  const selection = useSelection<DeadLetter>(({ messageId }) => messageId, {});
  const [deciding, setDeciding] = useState<Deciding>();
  return (
    <>
      <DataTable
        id="flash-sale-dead"
        label={t('deadTab')}
        columns={useColumns(mayWrite ? setDeciding : undefined)}
        rowId={({ messageId }) => messageId}
        rowLabel={({ messageId }) => messageId}
        query={query}
        // The open tab lies in the address too, and is no filter.
        state={{ ...state, search: { cursor, limit } }}
        searchable={false}
        selection={mayWrite ? selection : undefined}
        bulk={
          <>
            <Button size="xs" onClick={() => setDeciding({ decision: 'retry', only: undefined })}>
              {t('retry')}
            </Button>
            <Button size="xs" onClick={() => setDeciding({ decision: 'discard', only: undefined })}>
              {t('discard')}
            </Button>
          </>
        }
        readPage={(after) => readDead(id, { cursor: after, limit: 200 })}
        empty={{ title: t('deadEmpty'), hint: t('deadEmptyHint') }}
      />
      {deciding !== undefined && <DeadDialog id={id} {...deciding} selection={selection} onClose={() => setDeciding(undefined)} />}
    </>
  );
}

function useColumns(decide: ((deciding: Deciding) => void) | undefined): Column<DeadLetter>[] {
  const t = useText(saleMessages);
  const { duration } = useFormat();
  const columns: Column<DeadLetter>[] = [
    {
      id: 'ticket',
      header: t('ticket'),
      cell: (d) => <span title={d.messageId}>{shortened(d.messageId)}</span>,
      text: (d) => d.messageId,
      mono: true,
      narrow: true,
    },
    { id: 'customer', header: t('customer'), cell: (d) => (d.userId === '' ? t('unreadable') : d.userId), text: (d) => d.userId, align: 'end' },
    { id: 'units', header: t('units'), cell: (d) => d.quantity, text: (d) => String(d.quantity), align: 'end' },
    { id: 'error', header: t('error'), cell: (d) => d.error, text: (d) => d.error },
    { id: 'attempts', header: t('attempts'), cell: (d) => d.attempts, text: (d) => String(d.attempts), align: 'end' },
    { id: 'age', header: t('age'), cell: (d) => duration(d.ageSeconds * 1000), text: (d) => String(Math.round(d.ageSeconds)), align: 'end' },
    { id: 'queuedSince', header: t('queuedSince'), cell: (d) => <When time={d.enqueuedTime} />, text: (d) => d.enqueuedTime, optional: true },
  ];
  if (decide === undefined) return columns;
  return [
    ...columns,
    {
      id: 'actions',
      header: t('actions'),
      cell: (only) => (
        <Group gap={6} wrap="nowrap" justify="flex-end">
          <Button size="compact-sm" onClick={() => decide({ decision: 'retry', only })}>
            {t('retry')}
          </Button>
          <Button size="compact-sm" onClick={() => decide({ decision: 'discard', only })}>
            {t('discard')}
          </Button>
        </Group>
      ),
      align: 'end',
      narrow: true,
    },
  ];
}
