import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useUser } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { useText } from '@/i18n';
import { PeopleHere, Icon, PageHeader, Person, RecordLink, useOtherUsersIn } from '@/ui';
import {
  aDay,
  aText,
  Choice,
  DataTable,
  FilterChoice,
  FilterDay,
  FilterText,
  StatusFilter,
  useColumn,
  useList,
  filterTextOf,
  type Column,
  type Raw,
} from '@/ui/table';
import { PriorityChip, WorkOrderStatusChip } from './Chips';
import { Due } from './Due';
import { workOrderMessages } from './messages';
import { OpenDialog } from './OpenDialog';
import { readWorkOrders, type WorkOrder, type WorkOrderSearch } from './queries';
import { workOrderResource } from './resource';
import { priorities, statuses } from './statuses';
import { TakeNext } from './TakeNext';
import styles from './WorkOrder.module.css';

/** The queue of work orders with status, holder and current viewers, and a button for the next one. */
export function WorkOrderList({ search }: { search: Raw<WorkOrderSearch> }) {
  const t = useText(workOrderMessages);
  const navigate = useNavigate();
  const me = useUser().id;
  const may = useMay()('work-orders:write');
  const [opening, setOpening] = useState(false);
  const list = useList<WorkOrderSearch, WorkOrder>({ search, queryKey: ['work-orders', 'list'], read: readWorkOrders });
  const { state } = list;
  const options = statuses.map((status) => ({ value: status, label: t(status) }));
  const urgencies = priorities.map((priority) => ({ value: priority, label: t(priority) }));
  const isMine = state.search.holderId === me;
  const add = <CreateButton of={workOrderResource} onClick={() => setOpening(true)} />;
  return (
    <>
      <PageHeader title={t('title')}>
        {add}
        {may && <TakeNext />}
      </PageHeader>
      <StatusFilter state={state} label={t('status')} all={t('all')} options={options} counts="workOrdersByStatus">
        <Choice isChosen={isMine} onChoose={() => state.set({ holderId: isMine ? undefined : me })}>
          {t('mine')}
        </Choice>
      </StatusFilter>
      <DataTable
        id="work-orders"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ title }) => title}
        list={list}
        filters={
          <>
            <FilterChoice state={state} name="priority" label={t('priority')} any={t('anyPriority')} options={urgencies} />
            <FilterText state={state} name="link" read={aText} label={t('filterLink')} />
            <FilterDay state={state} name="due" read={aDay} label={t('filterDue')} mark={t('by')} />
          </>
        }
        open={({ id }) => void navigate({ to: '/work-orders/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ status: options, priority: urgencies, holderId: [{ value: String(me), label: t('mine') }] })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {opening && <OpenDialog onClose={() => setOpening(false)} />}
    </>
  );
}

function useColumns(): Column<WorkOrder>[] {
  const t = useText(workOrderMessages);
  const column = useColumn<WorkOrder>();
  const people = useOtherUsersIn('work-orders');
  const here = ({ id }: WorkOrder) => people.get(`work-orders/${id}`) ?? [];
  return [
    column.text('number', t('number'), ({ id }) => id, { sort: 'id', mono: true, optional: true }),
    column.text('title', t('subject'), ({ title }) => title, {
      cell: ({ id, title }) => (
        <Link to="/work-orders/$id" params={{ id: String(id) }}>
          {title}
        </Link>
      ),
      narrow: true,
    }),
    column.text('priority', t('priority'), ({ priority }) => priority, {
      cell: ({ priority }) => <PriorityChip priority={priority} />,
      sort: 'priority',
      narrow: true,
    }),
    column.text('status', t('status'), ({ status }) => status, { cell: ({ status }) => <WorkOrderStatusChip status={status} />, narrow: true }),
    // The holder and the current viewers, so that users see them before they claim.
    column.text('holder', t('holder'), ({ holder }) => holder?.name, {
      cell: (order) => (
        <span className={styles.holder}>
          {order.holder !== null && <Person person={order.holder} withAvatar />}
          {here(order).length > 0 && (
            <span className={styles.here}>
              <Icon name="eye" />
              <PeopleHere people={here(order)} />
            </span>
          )}
        </span>
      ),
      narrow: true,
    }),
    column.time('due', t('due'), ({ dueTime }) => dueTime, { cell: (order) => <Due order={order} />, narrow: true }),
    column.text('about', t('about'), ({ links }) => links.join(' '), {
      cell: ({ links: [first, ...more] }) =>
        first !== undefined && (
          <>
            <RecordLink path={first} />
            {more.length > 0 && ` +${more.length}`}
          </>
        ),
      mono: true,
    }),
    column.count('comments', t('comments'), ({ comments }) => comments, { optional: true }),
    column.time('opened', t('opened'), ({ createdTime }) => createdTime, { sort: 'createdTime', optional: true }),
    column.person('openedBy', t('openedBy'), ({ createdBy }) => createdBy, { optional: true }),
    column.time('since', t('since'), ({ heldTime }) => heldTime, { optional: true }),
    column.time('changed', t('changed'), ({ updatedTime }) => updatedTime, { sort: 'updatedTime', optional: true }),
  ];
}
