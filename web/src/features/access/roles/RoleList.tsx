import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { CreateButton } from '@/features/CreateButton';
import { DeletedLink } from '@/features/deleted/DeletedLink';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { DataTable, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { GrantSummary } from '../GrantSummary';
import { roleResource } from '../resource';
import { CreateRole } from './CreateRole';
import { roleMessages } from './messages';
import { readRoles, type Role, type RoleSearch } from './queries';

/** The roles that grant permissions to users. */
export function RoleList({ search }: { search: Raw<RoleSearch> }) {
  const t = useText(roleMessages);
  const list = useList<RoleSearch, Role>({ search, queryKey: ['roles', 'list'], read: readRoles });
  const navigate = useNavigate();
  const [adding, { open, close }] = useDisclosure();
  const add = <CreateButton of={roleResource} onClick={open} />;
  return (
    <>
      <PageHeader title={t('title')}>
        <DeletedLink kind="roles" />
        {add}
      </PageHeader>
      <DataTable
        id="roles"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        list={list}
        open={({ id }) => void navigate({ to: '/roles/$id', params: { id: String(id) } })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {adding && <CreateRole onClose={close} />}
    </>
  );
}

function useColumns(): Column<Role>[] {
  const t = useText(roleMessages);
  const column = useColumn<Role>();
  return [
    column.text('name', t('name'), (r) => r.name, {
      cell: ({ id, name }) => (
        <Link to="/roles/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
      sort: 'name',
      narrow: true,
    }),
    column.text('permissions', t('permissions'), (r) => r.permissions.join(' '), { cell: (r) => <GrantSummary grants={r.permissions} />, narrow: true }),
    column.time('updated', t('updated'), (r) => r.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (r) => r.updatedBy),
    column.text('id', t('id'), (r) => r.id, { align: 'end', optional: true }),
  ];
}
