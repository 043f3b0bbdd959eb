import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useFormat, useText } from '@/i18n';
import { PageHeader, Person, When } from '@/ui';
import { DataTable, FilterText, useTableState, type Column } from '@/ui/table';
import { inventoryMessages } from './messages';
import { lowFirst, readStocks, stockList, type Stock, type StockSearch } from './queries';
import { StockChip } from './StockChip';

/** The stock of every item that has any, what runs low first. */
export function InventoryList({ search }: { search: StockSearch }) {
  const t = useText(inventoryMessages);
  const state = useTableState({ ...search, sort: search.sort ?? lowFirst });
  const navigate = useNavigate();
  const query = useQuery(stockList({ ...search, limit: state.limit }));
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        id="inventory"
        label={t('title')}
        columns={useColumns()}
        rowId={({ sku }) => sku}
        rowLabel={({ sku }) => sku}
        query={query}
        state={state}
        open={({ sku }) => void navigate({ to: '/items/$sku', params: { sku } })}
        filters={
          <FilterText label={t('maxAvailable')} value={search.maxAvailable?.toString()} onChange={(text) => state.set({ maxAvailable: countOf(text) })} />
        }
        readPage={(cursor) => readStocks({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

const countOf = (text: string | undefined) => (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

function useColumns(): Column<Stock>[] {
  const t = useText(inventoryMessages);
  const { number } = useFormat();
  return [
    {
      id: 'sku',
      header: t('sku'),
      cell: ({ sku }) => (
        <Link to="/items/$sku" params={{ sku }}>
          {sku}
        </Link>
      ),
      text: (s) => s.sku,
      sort: 'sku',
      mono: true,
      narrow: true,
    },
    {
      id: 'available',
      header: t('available'),
      cell: (s) => number(s.available),
      text: (s) => String(s.available),
      sort: 'available',
      align: 'end',
      narrow: true,
    },
    { id: 'low', header: t('stock'), cell: (s) => <StockChip available={s.available} />, narrow: true },
    { id: 'onHand', header: t('onHand'), cell: (s) => number(s.onHand), text: (s) => String(s.onHand), align: 'end' },
    { id: 'reserved', header: t('reserved'), cell: (s) => number(s.reserved), text: (s) => String(s.reserved), align: 'end' },
    {
      id: 'updated',
      header: t('updated'),
      cell: (s) => s.updatedTime !== null && <When time={s.updatedTime} />,
      text: (s) => s.updatedTime ?? '',
      sort: 'updatedTime',
    },
    {
      id: 'updatedBy',
      header: t('updatedBy'),
      cell: (s) => s.updatedBy !== null && <Person person={s.updatedBy} withAvatar />,
      text: (s) => s.updatedBy?.name ?? '',
    },
  ];
}
