import { useQuery } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { Person, RecordLink, StatusChip, When } from '@/ui';
import { DataTable, FilterText, TableSection, useTableState, type Column } from '@/ui/table';
import { inventoryMessages } from './messages';
import { movements, readMovements, type Movement, type MovementSearch } from './queries';
import { useSigned } from './signed';

const tones = { adjust: 'accent', count: 'info', reserve: 'warn', return: 'neutral', consume: 'ok' } as const;

/** Everything that ever changed a stock, newest first. */
export function MovementTable({ sku, search }: { sku: string; search: MovementSearch }) {
  const t = useText(inventoryMessages);
  const state = useTableState(search);
  const query = useQuery(movements(sku, { ...search, limit: state.limit }));
  return (
    <TableSection id="movements" title={t('movements')}>
      <DataTable
        id="movements"
        label={t('movements')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ reference }) => reference}
        query={query}
        state={state}
        searchable={false}
        filters={<FilterText label={t('reference')} value={search.reference} onChange={(reference) => state.set({ reference })} />}
        readPage={(cursor) => readMovements(sku, { ...search, cursor, limit: 200 })}
        empty={{ title: t('noMovements'), hint: t('noMovementsHint') }}
      />
    </TableSection>
  );
}

function useColumns(): Column<Movement>[] {
  const t = useText(inventoryMessages);
  const { number } = useFormat();
  const signed = useSigned();
  const moved = (change: number, after: number) => (
    <span className="tabular" title={t('after', { change: signed(change), after })}>
      {change === 0 ? '' : `${signed(change)} → `}
      {number(after)}
    </span>
  );
  return [
    { id: 'time', header: t('time'), cell: (m) => <When time={m.createdTime} />, text: (m) => m.createdTime, sort: 'id', narrow: true },
    { id: 'kind', header: t('kind'), cell: (m) => <StatusChip tone={tones[m.kind]}>{t(m.kind)}</StatusChip>, text: (m) => t(m.kind), narrow: true },
    { id: 'onHand', header: t('onHand'), cell: (m) => moved(m.onHandDelta, m.onHand), text: (m) => String(m.onHandDelta), align: 'end', narrow: true },
    { id: 'reserved', header: t('reserved'), cell: (m) => moved(m.reservedDelta, m.reserved), text: (m) => String(m.reservedDelta), align: 'end' },
    { id: 'available', header: t('available'), cell: (m) => moved(m.delta, m.available), text: (m) => String(m.available), align: 'end' },
    { id: 'holder', header: t('holder'), cell: (m) => m.holder !== null && <RecordLink path={m.holder} />, text: (m) => m.holder ?? '' },
    { id: 'reason', header: t('reason'), cell: (m) => m.reason, text: (m) => m.reason },
    { id: 'reference', header: t('reference'), cell: (m) => m.reference, text: (m) => m.reference, mono: true },
    { id: 'by', header: t('by'), cell: (m) => <Person person={m.createdBy} withAvatar />, text: (m) => m.createdBy.name },
  ];
}
