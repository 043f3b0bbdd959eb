import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { useText } from '@/i18n';
import { PageHeader, useNow } from '@/ui';
import { aBoolean, DataTable, FilterChoice, FilterText, useColumn, useList, filterTextOf, type Column, type Raw } from '@/ui/table';
import { allRoles } from '../queries';
import { userResource } from '../resource';
import { CreateUser } from './CreateUser';
import { InvitationLink } from './InvitationLink';
import { userMessages } from './messages';
import { readUsers, type InvitedUser, type User, type UserSearch } from './queries';
import { stateOf, UserStateChip } from './UserStateChip';

/** The users that can sign in, with their roles. */
export function UserList({ search }: { search: Raw<UserSearch> }) {
  const t = useText(userMessages);
  const list = useList<UserSearch, User>({ search, queryKey: ['users', 'list'], read: readUsers });
  const navigate = useNavigate();
  const may = useMay();
  const seesRoles = may('access:read');
  const { data: roles } = useQuery({ ...allRoles, enabled: seesRoles });
  const [adding, { open, close }] = useDisclosure();
  const [invited, setInvited] = useState<InvitedUser>();
  const add = <CreateButton of={userResource} onClick={open} />;
  const { role } = list.state.search;
  const names = [...new Set([...(roles ?? []).map(({ name }) => name), ...(role === undefined ? [] : [role])])];
  const options = {
    role: names.map((name) => ({ value: name, label: name })),
    disabled: [
      { value: 'false', label: t('active') },
      { value: 'true', label: t('disabled') },
    ],
  };
  return (
    <>
      <PageHeader title={t('title')}>{add}</PageHeader>
      <DataTable
        id="users"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ username }) => username}
        list={list}
        open={({ id }) => void navigate({ to: '/users/$id', params: { id: String(id) } })}
        filters={
          <>
            {seesRoles ? (
              <FilterChoice state={list.state} name="role" label={t('filterRole')} any={t('anyRole')} options={options.role} />
            ) : (
              <FilterText state={list.state} name="role" label={t('filterRole')} />
            )}
            <FilterChoice state={list.state} name="disabled" read={aBoolean} label={t('state')} any={t('anyState')} options={options.disabled} />
          </>
        }
        filterText={filterTextOf({ disabled: options.disabled })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {adding && <CreateUser onClose={close} onInvited={setInvited} />}
      {invited !== undefined && (
        <InvitationLink
          user={invited}
          onStored={() => setInvited(undefined)}
          again={
            <Button variant="filled" onClick={() => void navigate({ to: '/users/$id', params: { id: String(invited.id) } })} data-autofocus>
              {t('lostShow')}
            </Button>
          }
        />
      )}
    </>
  );
}

function useColumns(): Column<User>[] {
  const t = useText(userMessages);
  const column = useColumn<User>();
  const now = useNow();
  return [
    column.text('username', t('username'), (u) => u.username, {
      cell: ({ id, username }) => (
        <Link to="/users/$id" params={{ id: String(id) }}>
          {username}
        </Link>
      ),
      sort: 'username',
      mono: true,
      narrow: true,
    }),
    column.text('displayName', t('displayName'), (u) => u.displayName, { sort: 'displayName', narrow: true }),
    column.text('roles', t('roles'), (u) => u.roles.join(', '), { narrow: true }),
    column.text('state', t('state'), (u) => stateOf(u, now), { cell: (u) => <UserStateChip user={u} />, narrow: true }),
    column.time('updated', t('updated'), (u) => u.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (u) => u.updatedBy),
    column.time('created', t('created'), (u) => u.createdTime, { optional: true }),
    column.text('id', t('id'), (u) => u.id, { align: 'end', optional: true }),
  ];
}
