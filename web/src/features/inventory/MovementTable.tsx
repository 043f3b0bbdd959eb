import { useFormat, useText } from '@/i18n';
import { RecordLink, StatusChip } from '@/ui';
import { DataTable, FilterText, TableSection, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { inventoryMessages } from './messages';
import { readMovements, type Movement, type MovementSearch } from './queries';

const tones = { adjust: 'accent', count: 'info', reserve: 'warn', return: 'neutral', consume: 'ok', restock: 'accent' } as const;

/** Every movement of a stock, newest first. */
export function MovementTable({ sku, search }: { sku: string; search: Raw<MovementSearch> }) {
  const t = useText(inventoryMessages);
  const list = useList<MovementSearch, Movement>({
    search,
    queryKey: ['inventory', 'one', sku, 'movements'],
    read: (asked, signal) => readMovements(sku, asked, signal),
  });
  return (
    <TableSection id="movements" title={t('movements')}>
      <DataTable
        id="movements"
        label={t('movements')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ reference }) => reference}
        list={list}
        searchable={false}
        filters={<FilterText state={list.state} name="reference" label={t('reference')} />}
        empty={{ title: t('noMovements'), hint: t('noMovementsHint') }}
      />
    </TableSection>
  );
}

function useColumns(): Column<Movement>[] {
  const t = useText(inventoryMessages);
  const { number, signed } = useFormat();
  const moved = (change: number, after: number) => (
    <span className="tabular" title={t('after', { change: signed(change), after })}>
      {change === 0 ? '' : `${signed(change)} → `}
      {number(after)}
    </span>
  );
  const column = useColumn<Movement>();
  // An exported file has a separate column for the change, so that it can be summed.
  const change = (header: string) => ({ fileHeader: t('changeOf', { what: header }) });
  return [
    column.time('time', t('time'), (m) => m.createdTime, { sort: 'id', narrow: true }),
    column.text('kind', t('kind'), (m) => m.kind, { cell: (m) => <StatusChip tone={tones[m.kind]}>{t(m.kind)}</StatusChip>, narrow: true }),
    column.count('onHand', t('onHand'), (m) => m.onHandDelta, { cell: (m) => moved(m.onHandDelta, m.onHand), ...change(t('onHand')), narrow: true }),
    column.count('reserved', t('reserved'), (m) => m.reservedDelta, { cell: (m) => moved(m.reservedDelta, m.reserved), ...change(t('reserved')) }),
    column.count('available', t('available'), (m) => m.available, { cell: (m) => moved(m.delta, m.available) }),
    column.text('holder', t('holder'), (m) => m.holder, { cell: (m) => m.holder !== null && <RecordLink path={m.holder} /> }),
    column.text('reason', t('reason'), (m) => m.reason),
    column.text('reference', t('reference'), (m) => m.reference, { mono: true }),
    column.person('by', t('by'), (m) => m.createdBy),
  ];
}
