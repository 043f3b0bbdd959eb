import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { DeletedLink } from '@/features/deleted/DeletedLink';
import { StockCell } from '@/features/inventory/StockCell';
import { useCreation } from '@/features/useCreation';
import { useText } from '@/i18n';
import { PageHeader, useBulkActions } from '@/ui';
import { DataTable, FilterChoice, useColumn, useList, useSelection, filterTextOf, type Column, type Raw } from '@/ui/table';
import { useItemEdit, watchedItems } from './bulk/useItemEdit';
import { useItemImport, watchedLines } from './bulk/useItemImport';
import { CreateItem } from './CreateItem';
import { ItemStatusChip } from './ItemStatusChip';
import { itemMessages } from './messages';
import { readItems, type Item, type ItemSearch } from './queries';
import { itemResource } from './resource';

const rowId = ({ sku }: Item) => sku;

/** The items with their prices, and the bulk actions. */
export function ItemList({ search }: { search: Raw<ItemSearch> }) {
  const t = useText(itemMessages);
  const list = useList<ItemSearch, Item>({ search, queryKey: ['items', 'list'], read: readItems });
  const navigate = useNavigate();
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: 'items', actions: [useItemEdit()], list, rowId, selection, watched: watchedItems });
  const imports = useBulkActions({ name: 'items', actions: [useItemImport()], rowId: ({ sku }) => sku, watched: watchedLines });
  const mayWrite = useMay()('items:write');
  const { isOpen, open, close } = useCreation(list.state);
  const add = <CreateButton of={itemResource} onClick={open} />;
  const statuses = (['active', 'archived'] as const).map((status) => ({ value: status, label: t(status) }));
  return (
    <>
      <PageHeader title={t('title')}>
        <DeletedLink kind="items" />
        {mayWrite && imports.tables}
        {add}
      </PageHeader>
      {mayWrite && bulk.rest}
      {mayWrite && imports.rest}
      <DataTable
        id="items"
        label={t('title')}
        columns={useColumns()}
        rowId={rowId}
        rowLabel={rowId}
        list={list}
        selection={mayWrite ? selection : undefined}
        bulk={bulk.buttons}
        open={({ sku }) => void navigate({ to: '/items/$sku', params: { sku } })}
        filters={<FilterChoice state={list.state} name="status" label={t('status')} any={t('anyStatus')} options={statuses} />}
        filterText={filterTextOf({ status: statuses })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {isOpen && <CreateItem onClose={close} />}
    </>
  );
}

function useColumns(): Column<Item>[] {
  const t = useText(itemMessages);
  const column = useColumn<Item>();
  const seesStock = useMay()('inventory:read');
  return [
    column.text('sku', t('sku'), (i) => i.sku, {
      cell: ({ sku }) => (
        <Link to="/items/$sku" params={{ sku }}>
          {sku}
        </Link>
      ),
      sort: 'sku',
      mono: true,
      narrow: true,
    }),
    column.text('name', t('name'), (i) => i.name, { sort: 'name', narrow: true }),
    column.money('price', t('price'), (i) => i.price, { sort: 'price', narrow: true }),
    ...(seesStock
      ? (['available', 'reserved'] as const).map((member): Column<Item> => ({
          id: member,
          header: t(member),
          cell: ({ sku }) => <StockCell sku={sku} member={member} />,
          align: 'end',
        }))
      : []),
    column.text('status', t('status'), (i) => i.status, { cell: (i) => <ItemStatusChip status={i.status} />, narrow: true }),
    column.time('updated', t('updated'), (i) => i.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (i) => i.updatedBy),
    column.customer('owner', t('owner'), (i) => i.ownedByUserId, { optional: true }),
  ];
}
