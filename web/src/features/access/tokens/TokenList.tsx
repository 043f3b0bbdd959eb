import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useUser } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { useText } from '@/i18n';
import { PageHeader, When } from '@/ui';
import { anId, DataTable, FilterChoice, readable, useColumn, useList, filterTextOf, type Column, type Raw } from '@/ui/table';
import { GrantSummary } from '../GrantSummary';
import { tokenResource } from '../resource';
import { ActingUser } from './ActingUser';
import { CreateToken } from './CreateToken';
import { ExpiryChip } from './ExpiryChip';
import { tokenMessages } from './messages';
import { readTokens, type CreatedToken, type Token, type TokenSearch } from './queries';
import { TokenDrawer } from './TokenDrawer';
import { TokenSecret } from './TokenSecret';

/** The API tokens of the user, and those of all users with users:write. */
export function TokenList({ search }: { search: Raw<TokenSearch> }) {
  const t = useText(tokenMessages);
  const list = useList<TokenSearch, Token>({ search, queryKey: ['tokens', 'list'], read: readTokens });
  const navigate = useNavigate();
  const may = useMay();
  const me = useUser();
  const { open } = readable<TokenSearch>(search);
  // The list stays on its page behind the drawer.
  const show = (id: number | undefined) => void navigate({ to: '.', search: { ...search, open: id } as never, state: true, resetScroll: false });
  const [adding, dialog] = useDisclosure();
  const [made, setMade] = useState<CreatedToken>();
  const add = <CreateButton of={tokenResource} onClick={dialog.open} />;
  const { userId } = list.state.search;
  const rows = list.query.data?.items ?? [];
  const other = userId === undefined || userId === me.id ? undefined : { value: String(userId), label: rows[0]?.username ?? `#${userId}` };
  const users = [{ value: String(me.id), label: t('mine') }, ...(other === undefined ? [] : [other])];
  return (
    <>
      <PageHeader title={t('title')}>{add}</PageHeader>
      <DataTable
        id="tokens"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        list={list}
        open={({ id }) => show(id)}
        filters={may('users:write') && <FilterChoice state={list.state} name="userId" read={anId} label={t('filterUser')} any={t('anyUser')} options={users} />}
        filterText={filterTextOf({ userId: users })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {open !== undefined && <TokenDrawer id={open} onClose={() => show(undefined)} />}
      {adding && <CreateToken onClose={dialog.close} onMade={setMade} />}
      {made !== undefined && (
        <TokenSecret
          made={made}
          onStored={() => setMade(undefined)}
          onShow={() => {
            setMade(undefined);
            show(made.id);
          }}
        />
      )}
    </>
  );
}

function useColumns(): Column<Token>[] {
  const t = useText(tokenMessages);
  const column = useColumn<Token>();
  return [
    column.text('name', t('name'), (k) => k.name, { sort: 'name', narrow: true }),
    column.text('user', t('user'), (k) => k.username, { cell: (k) => <ActingUser token={k} />, narrow: true }),
    column.text('scopes', t('scopes'), (k) => (k.scopes === null ? '*' : k.scopes.join(' ')), {
      cell: (k) => (k.scopes === null ? t('allRights', { user: k.username }) : <GrantSummary grants={k.scopes} maxShown={2} />),
    }),
    column.time('expires', t('expires'), (k) => k.expiresTime, { cell: (k) => <ExpiryChip expiresTime={k.expiresTime} />, narrow: true }),
    column.time('lastUsed', t('lastUsed'), (k) => k.lastUsedTime, {
      cell: (k) => (k.lastUsedTime === null ? t('neverUsed') : <When time={k.lastUsedTime} />),
    }),
    column.time('created', t('created'), (k) => k.createdTime, { sort: 'createdTime' }),
    column.person('createdBy', t('createdBy'), (k) => k.createdBy, { optional: true }),
    column.text('id', t('id'), (k) => k.id, { align: 'end', optional: true }),
  ];
}
