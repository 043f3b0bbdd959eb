import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Icon, Money, PageHeader, Person, When } from '@/ui';
import { DataTable, FilterChoice, FilterText, useTableState, type Column } from '@/ui/table';
import { CreateSale } from './CreateSale';
import { saleMessages } from './messages';
import { readSales, readStats, saleList, saleStats, type Sale, type SaleSearch, type SaleStats } from './queries';
import { SaleStatusChip } from './SaleStatusChip';

const statuses = ['draft', 'open', 'paused', 'closed'] as const;

/** A sale with its numbers, where it has some and they could be read. */
interface Row extends Sale {
  stats: SaleStats | undefined;
}

const isStarted = ({ status }: Sale) => status !== 'draft';

/** Every flash sale, its status, and how much of it is sold. */
export function SaleList({ search }: { search: SaleSearch }) {
  const t = useText(saleMessages);
  const state = useTableState(search);
  const navigate = useNavigate();
  const query = useRows(search, state.limit);
  const mayWrite = useMay()('flash-sales:write');
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
        id="flash-sales"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        query={query}
        state={state}
        filters={
          <>
            <FilterChoice
              label={t('status')}
              any={t('anyStatus')}
              options={statuses.map((status) => ({ value: status, label: t(status) }))}
              value={search.status}
              onChange={(status) => state.set({ status })}
            />
            <FilterText label={t('filterSku')} value={search.sku} onChange={(sku) => state.set({ sku })} />
          </>
        }
        open={({ id }) => void navigate({ to: '/flash-sales/$id', params: { id: String(id) } })}
        readPage={async (cursor) => withStats(await readSales({ ...search, cursor, limit: 200 }))}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {adding && <CreateSale onClose={close} />}
    </>
  );
}

/** The page of sales; the numbers come after it, one sale after the other. */
function useRows(search: SaleSearch, limit: number) {
  const query = useQuery(saleList({ ...search, limit }));
  const sales = query.data?.items ?? [];
  const stats = useQueries({
    queries: sales.filter(isStarted).map(({ id }) => saleStats(id)),
    combine: (results) => results.map(({ data }) => data?.stats),
  });
  const byId = new Map(sales.filter(isStarted).map(({ id }, i) => [id, stats[i]]));
  const rows = query.data && { ...query.data, items: sales.map((sale): Row => ({ ...sale, stats: byId.get(sale.id) })) };
  return { data: rows, error: query.error, isPending: query.isPending, isFetching: query.isFetching, refetch: query.refetch as () => Promise<never> };
}

/** Adds the numbers for an export; those that cannot be read are left out of it. */
async function withStats<P extends { items: Sale[] }>(page: P): Promise<P & { items: Row[] }> {
  const items: Row[] = [];
  for (const sale of page.items) {
    items.push({ ...sale, stats: isStarted(sale) ? await readStats(sale.id).catch(() => undefined) : undefined });
  }
  return { ...page, items };
}

function useColumns(): Column<Row>[] {
  const t = useText(saleMessages);
  const { number, dateTime } = useFormat();
  const at = (time: string) => <time dateTime={time}>{dateTime(time)}</time>;
  const whole = (words: string) => <span style={{ whiteSpace: 'nowrap' }}>{words}</span>;
  const sold = ({ stats, quantity }: Row) => (stats === undefined ? number(quantity) : t('soldOf', { sold: stats.confirmed, quantity }));
  return [
    {
      id: 'name',
      header: t('name'),
      cell: ({ id, name }) => (
        <Link to="/flash-sales/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
      text: (s) => s.name,
      sort: 'name',
      narrow: true,
    },
    { id: 'status', header: t('status'), cell: (s) => <SaleStatusChip status={s.status} />, text: (s) => t(s.status), narrow: true },
    { id: 'item', header: t('item'), cell: (s) => whole(s.sku), text: (s) => s.sku, mono: true },
    { id: 'sold', header: t('sold'), cell: (s) => whole(sold(s)), text: (s) => String(s.stats?.confirmed ?? ''), align: 'end', narrow: true },
    { id: 'quantity', header: t('quantity'), cell: (s) => number(s.quantity), text: (s) => String(s.quantity), align: 'end', optional: true },
    { id: 'price', header: t('price'), cell: (s) => <Money minor={s.price} />, text: (s) => (s.price / 100).toFixed(2), align: 'end' },
    { id: 'starts', header: t('startsTime'), cell: (s) => at(s.startsTime), text: (s) => s.startsTime, sort: 'startsTime' },
    { id: 'ends', header: t('endsTime'), cell: (s) => at(s.endsTime), text: (s) => s.endsTime, sort: 'endsTime' },
    { id: 'updated', header: t('updated'), cell: (s) => <When time={s.updatedTime} />, text: (s) => s.updatedTime, sort: 'updatedTime', optional: true },
    { id: 'updatedBy', header: t('updatedBy'), cell: (s) => <Person person={s.updatedBy} withAvatar />, text: (s) => s.updatedBy.name, optional: true },
    { id: 'perUser', header: t('perUserLimit'), cell: (s) => number(s.perUserLimit), text: (s) => String(s.perUserLimit), align: 'end', optional: true },
    {
      id: 'cap',
      header: t('queueCap'),
      cell: (s) => (s.queueCap === null ? '' : number(s.queueCap)),
      text: (s) => String(s.queueCap ?? ''),
      align: 'end',
      optional: true,
    },
    { id: 'rate', header: t('rate'), cell: (s) => (s.rate === null ? '' : number(s.rate)), text: (s) => String(s.rate ?? ''), align: 'end', optional: true },
    { id: 'id', header: t('id'), cell: (s) => s.id, text: (s) => String(s.id), sort: 'id', align: 'end', optional: true },
  ];
}
