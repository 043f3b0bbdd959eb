import { Loader, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { changesOf, History, ProblemBanner, RecordPage, revisionsOf, Section, StatusChip } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { readUsers } from '../users/queries';
import { DeletedRole } from './DeletedRole';
import { contentOf, readFields, useRoleLabels, type RoleFields } from './fields';
import styles from './RolePage.module.css';
import { roleMessages } from './messages';
import { oneRole, roleHistory, type Role } from './queries';
import { RoleActions } from './RoleActions';
import { RoleForm } from './RoleForm';

/** The page of a role: its permissions, its users and its history. */
export function RolePage({ id }: { id: number }) {
  const t = useText(roleMessages);
  const labels = useRoleLabels();
  const query = useQuery(oneRole(id));
  const seesUsers = useMay()('users:read');
  const [field, setField] = useState<string>();
  return (
    <RecordPage
      query={query}
      name={query.data?.name ?? `#${id}`}
      parent={{ to: '/roles', label: t('title') }}
      resource={`roles/${id}`}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      actions={(role) => <RoleActions role={role} />}
      renderDraft={(form: RoleFields, forget) => <DeletedRole id={id} form={form} onSettled={forget} onForget={forget} />}
    >
      {(role, { isDeleted: gone }) => (
        <>
          <RoleForm role={role} gone={gone} onField={setField} />
          {!gone && seesUsers && <Holders role={role} />}
          {!gone && <Revisions id={id} />}
        </>
      )}
    </RecordPage>
  );
}

/** The maximum number of users listed. */
const named = 20;

/** The users with the role. */
function Holders({ role: { name } }: { role: Role }) {
  const t = useText(roleMessages);
  const ui = useText(uiMessages);
  const search = { role: name, limit: named };
  const query = useQuery({ queryKey: ['users', 'list', search], queryFn: ({ signal }) => readUsers(search, signal) });
  const { data, error } = query;
  return (
    <Section title={t('holders')}>
      {error !== null && <ProblemBanner error={error} retry={() => void query.refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data?.total === 0 && <Text c="dimmed">{t('holdersNone')}</Text>}
      {data !== undefined && data.total > 0 && (
        <ul className={styles.holders}>
          {data.items.map(({ id, displayName, disabled }) => (
            <li key={id}>
              <Link to="/users/$id" params={{ id: String(id) }}>
                {displayName}
              </Link>{' '}
              {disabled && <StatusChip>{t('disabledUser')}</StatusChip>}
            </li>
          ))}
          {data.total > data.items.length && (
            <li>
              <Link to="/users" search={{ role: name }}>
                {t('holdersAll', { n: data.total })}
              </Link>
            </li>
          )}
        </ul>
      )}
    </Section>
  );
}

const actions = { create: 'onCreate', update: 'onUpdate' } as const;

/** Every version of a role, with added and removed permissions. */
function Revisions({ id }: { id: number }) {
  const t = useText(roleMessages);
  const query = useInfiniteQuery(roleHistory(id));
  const revisions = revisionsOf(query);
  return (
    <History
      query={query}
      labels={useRoleLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(actions[revision.action]),
        changes: changesOf(revisions, i, (one) => contentOf(readFields(one))),
      }))}
    />
  );
}
