import { Link, useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { aCustomer, aDay, anId, DataTable, FilterChoice, FilterDay, FilterText, filterTextOf, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { returnMessages } from './messages';
import { readReturns, type Return, type ReturnSearch } from './queries';
import { ReturnStatusChip } from './ReturnStatusChip';
import { statuses } from './statuses';

/** Every return, newest first. */
export function ReturnList({ search }: { search: Raw<ReturnSearch> }) {
  const t = useText(returnMessages);
  const navigate = useNavigate();
  const list = useList<ReturnSearch, Return>({ search, queryKey: ['returns', 'list'], read: readReturns });
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  return (
    <>
      <PageHeader title={t('title')} />
      <DataTable
        id="returns"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ id }) => t('return', { id: String(id) })}
        list={list}
        filters={
          <>
            <FilterChoice state={list.state} name="status" label={t('status')} any={t('all')} options={options} />
            <FilterText state={list.state} name="orderId" read={anId} label={t('filterOrder')} />
            <FilterText state={list.state} name="userId" read={aCustomer} label={t('user')} />
            <FilterDay state={list.state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} />
            <FilterDay state={list.state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} />
          </>
        }
        open={({ id }) => void navigate({ to: '/returns/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

function useColumns(): Column<Return>[] {
  const t = useText(returnMessages);
  const column = useColumn<Return>();
  return [
    column.text('number', t('number'), ({ id }) => id, {
      cell: ({ id }) => (
        <Link to="/returns/$id" params={{ id: String(id) }} aria-label={t('return', { id: String(id) })}>
          {id}
        </Link>
      ),
      sort: 'id',
      mono: true,
      narrow: true,
    }),
    column.text('status', t('status'), ({ status }) => status, { cell: ({ status }) => <ReturnStatusChip status={status} />, narrow: true }),
    column.text('order', t('order'), ({ orderNo }) => orderNo, {
      cell: ({ orderId, orderNo }) => (
        <Link to="/orders/$id" params={{ id: String(orderId) }}>
          {orderNo}
        </Link>
      ),
      mono: true,
      narrow: true,
    }),
    column.count('units', t('units'), ({ lines }) => lines.reduce((sum, { quantity }) => sum + quantity, 0)),
    column.customer('user', t('user'), ({ userId }) => userId, { narrow: true }),
    column.text('reason', t('reason'), ({ reason }) => reason),
    column.time('asked', t('asked'), ({ createdTime }) => createdTime, { sort: 'createdTime' }),
    column.time('changed', t('changed'), ({ updatedTime }) => updatedTime, { sort: 'updatedTime', optional: true }),
    column.person('changedBy', t('changedBy'), ({ updatedBy }) => updatedBy, { optional: true }),
  ];
}
