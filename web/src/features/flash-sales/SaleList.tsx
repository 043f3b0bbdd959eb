import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CreateButton } from '@/features/CreateButton';
import { DeletedLink } from '@/features/deleted/DeletedLink';
import { useCreation } from '@/features/useCreation';
import { useFormat, useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { DataTable, FilterChoice, FilterText, useColumn, useList, filterTextOf, type Column, type List, type Raw } from '@/ui/table';
import { CreateSale } from './CreateSale';
import { saleMessages } from './messages';
import { readSales, readStats, saleStats, type Sale, type SaleSearch, type SaleStats } from './queries';
import { saleResource } from './resource';
import { SaleStatusChip } from './SaleStatusChip';

const statuses = ['draft', 'open', 'paused', 'closed'] as const;

/** A sale with its numbers; undefined for drafts, and if they cannot be read. */
interface Row extends Sale {
  stats: SaleStats | undefined;
}

const isStarted = ({ status }: Sale) => status !== 'draft';

/** Every flash sale with its status and sales progress. */
export function SaleList({ search }: { search: Raw<SaleSearch> }) {
  const t = useText(saleMessages);
  const navigate = useNavigate();
  const list = useSales(search);
  const { isOpen, open, close } = useCreation(list.state);
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  const add = <CreateButton of={saleResource} onClick={open} />;
  return (
    <>
      <PageHeader title={t('title')}>
        <DeletedLink kind="flash-sales" />
        {add}
      </PageHeader>
      <DataTable
        id="flash-sales"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        list={list}
        filters={
          <>
            <FilterChoice state={list.state} name="status" label={t('status')} any={t('anyStatus')} options={options} />
            <FilterText state={list.state} name="sku" label={t('filterSku')} />
          </>
        }
        open={({ id }) => void navigate({ to: '/flash-sales/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {isOpen && <CreateSale onClose={close} />}
    </>
  );
}

/** A page of sales. The numbers load afterwards, in a separate request per sale. */
function useSales(search: Raw<SaleSearch>): List<Row, SaleSearch> {
  const { state, query, readPage } = useList<SaleSearch, Sale>({ search, queryKey: ['flash-sales', 'list'], read: readSales });
  const sales = query.data?.items ?? [];
  const stats = useQueries({
    queries: sales.filter(isStarted).map(({ id }) => saleStats(id)),
    combine: (results) => results.map(({ data }) => data?.stats),
  });
  const byId = new Map(sales.filter(isStarted).map(({ id }, i) => [id, stats[i]]));
  const data = query.data && { ...query.data, items: sales.map((sale): Row => ({ ...sale, stats: byId.get(sale.id) })) };
  return {
    state,
    query: { ...query, data } as List<Row>['query'],
    readPage: async (cursor, signal) => withStats(await readPage(cursor, signal)),
  };
}

/** Adds the numbers to a page of an export. Numbers that cannot be read stay empty. */
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
  const whole = (labels: string) => <span style={{ whiteSpace: 'nowrap' }}>{labels}</span>;
  const sold = ({ stats, quantity }: Row) => (stats === undefined ? number(quantity) : t('soldOf', { sold: stats.confirmed, quantity }));
  const column = useColumn<Row>();
  return [
    column.text('name', t('name'), (s) => s.name, {
      cell: ({ id, name }) => (
        <Link to="/flash-sales/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
      sort: 'name',
      narrow: true,
    }),
    column.text('status', t('status'), (s) => s.status, { cell: (s) => <SaleStatusChip status={s.status} />, narrow: true }),
    column.text('item', t('item'), (s) => s.sku, { cell: (s) => whole(s.sku), mono: true }),
    column.count('sold', t('sold'), (s) => s.stats?.confirmed, { cell: (s) => whole(sold(s)), narrow: true }),
    column.count('quantity', t('quantity'), (s) => s.quantity, { optional: true }),
    column.money('price', t('price'), (s) => s.price, { narrow: true }),
    column.time('starts', t('startsTime'), (s) => s.startsTime, { cell: (s) => at(s.startsTime), sort: 'startsTime' }),
    column.time('ends', t('endsTime'), (s) => s.endsTime, { cell: (s) => at(s.endsTime), sort: 'endsTime' }),
    column.time('updated', t('updated'), (s) => s.updatedTime, { sort: 'updatedTime', optional: true }),
    column.person('updatedBy', t('updatedBy'), (s) => s.updatedBy, { optional: true }),
    column.count('perUser', t('perUserLimit'), (s) => s.perUserLimit, { optional: true }),
    column.count('cap', t('queueCap'), (s) => s.queueCap, { optional: true }),
    column.count('rate', t('rate'), (s) => s.rate, { optional: true }),
    column.text('id', t('id'), (s) => s.id, { sort: 'id', align: 'end', optional: true }),
  ];
}
