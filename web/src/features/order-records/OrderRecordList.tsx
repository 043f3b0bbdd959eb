import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components, Overview } from '@/api';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import {
  aCustomer,
  aDay,
  anId,
  DataTable,
  FilterDay,
  FilterText,
  filterTextOf,
  StatusFilter,
  useColumn,
  useList,
  type Column,
  type List,
  type ListPage,
  type Raw,
  type TableSearch,
} from '@/ui/table';
import { orderRecordMessages } from './messages';

/** A record of an order with a status and a number: a payment, a refund or a return. */
export interface OrderRecord {
  id: number;
  status: string;
  orderId: number | null;
  orderNo: string | null;
  userId: string | null;
  updatedTime: string;
  updatedBy: components['schemas']['Person'];
}

export interface OrderRecordSearch extends TableSearch {
  status?: string;
  orderId?: number;
  userId?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

export type OrderRecordFolder = 'payments' | 'refunds' | 'returns';

interface Option {
  value: string;
  label: string;
}

interface Props<S extends OrderRecordSearch, R extends OrderRecord> {
  folder: OrderRecordFolder;
  search: Raw<S>;
  read: (search: S, signal?: AbortSignal) => Promise<ListPage<R>>;
  title: string;
  /** The name of a record, such as "Refund 7". */
  name: (id: number) => string;
  statuses: readonly { value: NonNullable<S['status']>; label: string }[];
  /** The member of the overview with the number of records per status. */
  counts?: 'refundsByStatus' & keyof Overview;
  chip: (row: R) => ReactNode;
  /** The columns next to the status. */
  facts: Column<R>[];
  /** The columns after the customer. */
  more: Column<R>[];
  /** The labels of the filters for the first and the last day. */
  days: { from: string; to: string };
  /** Further filters, with the texts of their values. */
  filters?: { input: (state: List<R, S>['state']) => ReactNode; texts: Readonly<Record<string, readonly Option[]>> };
  isSearchable?: boolean;
  empty: { title: string; hint: string };
}

/** The list of one kind of records of orders. */
export function OrderRecordList<S extends OrderRecordSearch, R extends OrderRecord>(props: Props<S, R>) {
  const { folder, search, read, title, name, statuses, counts, chip, facts, more, days, filters, isSearchable, empty } = props;
  const t = useText(orderRecordMessages);
  const navigate = useNavigate();
  const column = useColumn<R>();
  const list = useList<S, R>({ search, queryKey: [folder, 'list'], read });
  const { state } = list;
  const to = `/${folder}/$id` as const;
  const columns: Column<R>[] = [
    column.text('number', t('number'), ({ id }) => id, {
      cell: ({ id }) => (
        <Link to={to} params={{ id: String(id) }} aria-label={name(id)}>
          {id}
        </Link>
      ),
      sort: 'id',
      mono: true,
      narrow: true,
    }),
    column.text('status', t('status'), ({ status }) => status, { cell: chip, narrow: true }),
    ...facts,
    column.text('order', t('order'), ({ orderNo }) => orderNo, {
      cell: ({ orderId, orderNo }) =>
        orderId !== null && (
          <Link to="/orders/$id" params={{ id: String(orderId) }}>
            {orderNo}
          </Link>
        ),
      mono: true,
    }),
    column.customer('user', t('user'), ({ userId }) => userId, { narrow: true }),
    ...more,
    column.time('changed', t('changed'), ({ updatedTime }) => updatedTime, { sort: 'updatedTime', optional: true }),
    column.person('changedBy', t('changedBy'), ({ updatedBy }) => updatedBy, { optional: true }),
  ];
  return (
    <>
      <PageHeader title={title} />
      <StatusFilter state={state} label={t('status')} all={t('all')} options={statuses} counts={counts} />
      <DataTable
        id={folder}
        label={title}
        columns={columns}
        rowId={({ id }) => String(id)}
        rowLabel={({ id }) => name(id)}
        list={list as unknown as List<R>}
        searchable={isSearchable}
        filters={
          <>
            {filters?.input(state)}
            <FilterText state={state} name="orderId" read={anId} label={t('filterOrder')} />
            <FilterText state={state} name="userId" read={aCustomer} label={t('filterUser')} />
            <FilterDay state={state} name="from" read={aDay} label={days.from} mark={t('from')} />
            <FilterDay state={state} name="to" read={aDay} label={days.to} mark={t('to')} />
          </>
        }
        open={({ id }) => void navigate({ to, params: { id: String(id) } })}
        filterText={filterTextOf({ status: statuses, ...filters?.texts })}
        empty={empty}
      />
    </>
  );
}
