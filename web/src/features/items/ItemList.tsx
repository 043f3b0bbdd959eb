import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Icon, PageHeader, StatusChip } from '@/ui';
import { DataTable, FilterChoice, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { CreateItem } from './CreateItem';
import { itemMessages } from './messages';
import { readItems, type Item, type ItemSearch, type ItemStatus } from './queries';

/** What can be ordered, and its price. */
export function ItemList({ search }: { search: Raw<ItemSearch> }) {
  const t = useText(itemMessages);
  const list = useList<ItemSearch, Item>({ search, queryKey: ['items', 'list'], read: readItems });
  const navigate = useNavigate();
  const mayWrite = useMay()('items:write');
  const [adding, { open, close }] = useDisclosure();
  const add = mayWrite && (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={open}>
      {t('add')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')}>{add}</PageHeader>
      <DataTable
        id="items"
        label={t('title')}
        columns={useColumns()}
        rowId={({ sku }) => sku}
        rowLabel={({ sku }) => sku}
        list={list}
        open={({ sku }) => void navigate({ to: '/items/$sku', params: { sku } })}
        filters={
          <FilterChoice
            state={list.state}
            name="status"
            label={t('status')}
            any={t('anyStatus')}
            options={(['active', 'archived'] as const).map((status) => ({ value: status, label: t(status) }))}
          />
        }
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {adding && <CreateItem onClose={close} />}
    </>
  );
}

/** Whether an item can be ordered. */
export function ItemStatusChip({ status }: { status: ItemStatus }) {
  const t = useText(itemMessages);
  return <StatusChip tone={status === 'active' ? 'ok' : 'neutral'}>{t(status)}</StatusChip>;
}

function useColumns(): Column<Item>[] {
  const t = useText(itemMessages);
  const column = useColumn<Item>();
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
    column.text('name', t('name'), (i) => i.name, { sort: 'name' }),
    column.money('price', t('price'), (i) => i.price, { sort: 'price', narrow: true }),
    column.text('status', t('status'), (i) => i.status, { cell: (i) => <ItemStatusChip status={i.status} />, narrow: true }),
    column.time('updated', t('updated'), (i) => i.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (i) => i.updatedBy),
    column.customer('owner', t('owner'), (i) => i.ownedByUserId, { optional: true }),
  ];
}
