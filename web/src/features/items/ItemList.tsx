import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Icon, Money, PageHeader, Person, StatusChip, When } from '@/ui';
import { DataTable, FilterChoice, useTableState, type Column } from '@/ui/table';
import { CreateItem } from './CreateItem';
import { itemMessages } from './messages';
import { itemList, readItems, type Item, type ItemSearch, type ItemStatus } from './queries';

/** What can be ordered, and its price. */
export function ItemList({ search }: { search: ItemSearch }) {
  const t = useText(itemMessages);
  const state = useTableState(search);
  const navigate = useNavigate();
  const query = useQuery(itemList({ ...search, limit: state.limit }));
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
        query={query}
        state={state}
        open={({ sku }) => void navigate({ to: '/items/$sku', params: { sku } })}
        filters={
          <FilterChoice
            label={t('status')}
            any={t('anyStatus')}
            options={(['active', 'archived'] as const).map((status) => ({ value: status, label: t(status) }))}
            value={search.status}
            onChange={(status) => state.set({ status })}
          />
        }
        readPage={(cursor) => readItems({ ...search, cursor, limit: 200 })}
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
  const { money } = useFormat();
  return [
    { id: 'sku', header: t('sku'), cell: ({ sku }) => <Link to="/items/$sku" params={{ sku }}>{sku}</Link>, text: (i) => i.sku, sort: 'sku', mono: true, narrow: true },
    { id: 'name', header: t('name'), cell: (i) => i.name, text: (i) => i.name, sort: 'name' },
    { id: 'price', header: t('price'), cell: (i) => <Money minor={i.price} />, text: (i) => money(i.price), sort: 'price', align: 'end', narrow: true },
    { id: 'status', header: t('status'), cell: (i) => <ItemStatusChip status={i.status} />, text: (i) => t(i.status), narrow: true },
    { id: 'updated', header: t('updated'), cell: (i) => <When time={i.updatedTime} />, text: (i) => i.updatedTime, sort: 'updatedTime' },
    { id: 'updatedBy', header: t('updatedBy'), cell: (i) => <Person person={i.updatedBy} withAvatar />, text: (i) => i.updatedBy.name },
    { id: 'owner', header: t('owner'), cell: (i) => i.ownedByUserId ?? '', text: (i) => i.ownedByUserId ?? '', optional: true },
  ];
}
