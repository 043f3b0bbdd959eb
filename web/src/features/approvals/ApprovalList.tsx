import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { overview, votesLeft, type Approval } from '@/api';
import { useFormat, useText } from '@/i18n';
import { PageHeader, RecordLink } from '@/ui';
import { Choice, DataTable, FilterText, useColumn, useList, filterTextOf, type Column, type Raw, type TableState } from '@/ui/table';
import { ApprovalStatusChip } from './ApprovalStatusChip';
import { approvalMessages } from './messages';
import { readApprovals, type ApprovalSearch } from './queries';
import { useTitle } from './useTitle';
import { views } from './views';

/** The approvals, with views for those that wait for the user and for the user's pending or stale ones. */
export function ApprovalList({ search }: { search: Raw<ApprovalSearch> }) {
  const t = useText(approvalMessages);
  const navigate = useNavigate();
  const list = useList<ApprovalSearch, Approval>({ search, queryKey: ['approvals', 'list'], read: readApprovals });
  return (
    <>
      <PageHeader title={t('title')} />
      <Views state={list.state} />
      <DataTable
        id="approvals"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ id }) => t('approval', { id: String(id) })}
        list={list}
        filters={<FilterText state={list.state} name="resource" label={t('filterResource')} />}
        open={({ id }) => void navigate({ to: '/approvals/$id', params: { id: String(id) } })}
        filterText={filterTextOf({ view: views.map((view) => ({ value: view, label: t(view) })) })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

/** The views of the list, with their counts. */
function Views({ state: { search, set } }: { state: TableState<ApprovalSearch> }) {
  const t = useText(approvalMessages);
  const { number } = useFormat();
  const counts = useQuery(overview).data?.approvals;
  const countOf: Partial<Record<(typeof views)[number], number>> = {
    toDecide: counts?.toDecide,
    mine: counts?.mine,
    mineStale: counts?.stale,
    toReview: counts?.toReview,
  };
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={t('view')}>
      {[undefined, ...views].map((view) => {
        const count = view && countOf[view];
        return (
          <Choice key={view ?? 'all'} isChosen={search.view === view} onChoose={() => set({ view })}>
            {t(view ?? 'all')}
            {count !== undefined && ` ${number(count)}`}
          </Choice>
        );
      })}
    </Group>
  );
}

function useColumns(): Column<Approval>[] {
  const t = useText(approvalMessages);
  const column = useColumn<Approval>();
  const title = useTitle();
  return [
    column.text('number', t('number'), ({ id }) => String(id), {
      cell: ({ id }) => (
        <Link to="/approvals/$id" params={{ id: String(id) }} aria-label={t('approval', { id: String(id) })}>
          {id}
        </Link>
      ),
      sort: 'id',
      mono: true,
    }),
    column.text('change', t('change'), title, {
      cell: (approval) => (
        <Link to="/approvals/$id" params={{ id: String(approval.id) }}>
          {title(approval)}
        </Link>
      ),
      narrow: true,
    }),
    column.text('what', t('what'), ({ resource }) => resource, { cell: ({ resource }) => <RecordLink path={resource} />, mono: true, optional: true }),
    column.text('kind', t('kind'), ({ kind }) => t(kind), { optional: true }),
    column.text('status', t('status'), ({ status }) => t(status), { cell: ({ status }) => <ApprovalStatusChip status={status} />, narrow: true }),
    column.text('votes', t('votes'), (a) =>
      a.required === 0 ? t('none') : t('votesOf', { given: String(a.required - votesLeft(a)), required: String(a.required) }),
    ),
    column.time('effective', t('effective'), ({ effectiveTime }) => effectiveTime),
    column.person('author', t('author'), ({ author }) => author, { narrow: true }),
    column.text('note', t('note'), ({ note }) => note, { optional: true }),
    column.time('proposed', t('proposed'), ({ createdTime }) => createdTime),
    column.time('expires', t('expires'), ({ expiresTime, status }) => (status === 'scheduled' ? null : expiresTime), { sort: 'expiresTime' }),
    column.time('changed', t('changed'), ({ updatedTime }) => updatedTime, { sort: 'updatedTime', optional: true }),
  ];
}
