import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { ItemName } from '@/features/items/ItemName';
import { useText } from '@/i18n';
import { PageHeader, useBulkActions } from '@/ui';
import { aCount, DataTable, FilterText, useColumn, useList, useSelection, type Column, type Raw } from '@/ui/table';
import { useStockAdjustment } from './bulk/useStockAdjustment';
import { inventoryMessages } from './messages';
import { lowFirst, readStocks, type Stock, type StockSearch } from './queries';
import { StockChip } from './StockChip';

const rowId = ({ sku }: Stock) => sku;

/** The stock of every item, lowest first, with bulk receipts and counts. */
export function InventoryList({ search }: { search: Raw<StockSearch> }) {
  const t = useText(inventoryMessages);
  const list = useList<StockSearch, Stock>({ search, queryKey: ['inventory', 'list'], read: readStocks, sort: lowFirst });
  const navigate = useNavigate();
  const mayAdjust = useMay()('inventory:adjust');
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: 'inventory', actions: [useStockAdjustment()], list, rowId, selection });
  return (
    <>
      <PageHeader title={t('title')}>{mayAdjust && bulk.tables}</PageHeader>
      {mayAdjust && bulk.rest}
      <DataTable
        id="inventory"
        label={t('title')}
        columns={useColumns()}
        rowId={rowId}
        rowLabel={rowId}
        list={list}
        selection={mayAdjust ? selection : undefined}
        bulk={bulk.buttons}
        open={({ sku }) => void navigate({ to: '/items/$sku', params: { sku } })}
        filters={<FilterText state={list.state} name="maxAvailable" read={aCount} label={t('maxAvailable')} />}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: <Link to="/items">{t('toItems')}</Link> }}
      />
    </>
  );
}

function useColumns(): Column<Stock>[] {
  const t = useText(inventoryMessages);
  const column = useColumn<Stock>();
  const seesItems = useMay()('items:read');
  return [
    column.text('sku', t('sku'), (s) => s.sku, {
      cell: ({ sku }) => (
        <Link to="/items/$sku" params={{ sku }}>
          {sku}
        </Link>
      ),
      sort: 'sku',
      mono: true,
      narrow: true,
    }),
    ...(seesItems ? [{ id: 'name', header: t('name'), cell: ({ sku }: Stock) => <ItemName sku={sku} />, narrow: true }] : []),
    column.count('available', t('available'), (s) => s.available, { sort: 'available', narrow: true }),
    { id: 'low', header: t('stock'), cell: (s) => <StockChip available={s.available} />, narrow: true },
    column.count('onHand', t('onHand'), (s) => s.onHand),
    column.count('reserved', t('reserved'), (s) => s.reserved),
    column.time('updated', t('updated'), (s) => s.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (s) => s.updatedBy),
  ];
}
