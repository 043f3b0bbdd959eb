import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useUser } from '@/api';
import { useFormat, useText } from '@/i18n';
import { changesOf, Facts, History, Person, RecordPage, revisionsOf, Section, StatusChip, When } from '@/ui';
import { GrantSummary } from '../GrantSummary';
import { widestOf } from '../grants';
import { allRoles } from '../queries';
import { Links } from '../links/Links';
import { Sessions } from '../sessions/Sessions';
import { namesIn, spellSet } from '../sets';
import { contentOf, readFields, useUserLabels } from './fields';
import { userMessages } from './messages';
import { oneUser, userHistory, type User } from './queries';
import { UserActions } from './UserActions';
import { UserForm } from './UserForm';
import { UserStateChip } from './UserStateChip';

/** The page of a user: permissions, form, actions and history. */
export function UserPage({ id }: { id: number }) {
  const t = useText(userMessages);
  const labels = useUserLabels();
  const query = useQuery(oneUser(id));
  const me = useUser().id;
  const mayWrite = useMay()('users:write');
  const [field, setField] = useState<string>();
  return (
    <RecordPage
      query={query}
      name={query.data?.displayName ?? `#${id}`}
      parent={{ to: '/users', label: t('title') }}
      resource={`users/${id}`}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      chips={(user) => (
        <>
          <UserStateChip user={user} />
          {user.secondFactor && <StatusChip tone="ok">{t('hasFactor')}</StatusChip>}
          {user.id === me && <StatusChip tone="accent">{t('isYou')}</StatusChip>}
        </>
      )}
      actions={(user) => <UserActions user={user} />}
    >
      {(user) => (
        <>
          <AboutUser user={user} />
          <UserForm user={user} onField={setField} />
          <Links userId={id} isOwn={false} hasPassword={user.hasPassword} />
          {mayWrite && <Sessions userId={id} />}
          <Revisions id={id} />
        </>
      )}
    </RecordPage>
  );
}

/** The number of permissions displayed; the title lists the rest. */
const shown = 12;

function AboutUser({ user: { id, username, roles, groupRoles, invitationExpiresTime, createdTime, updatedTime, updatedBy } }: { user: User }) {
  const t = useText(userMessages);
  const { dateTime, list } = useFormat();
  const may = useMay();
  const me = useUser().id;
  const { data: known } = useQuery({ ...allRoles, enabled: may('access:read') });
  const grants =
    known &&
    widestOf(namesIn(spellSet(known.filter(({ name }) => roles.includes(name) || groupRoles.includes(name)).flatMap(({ permissions }) => permissions))));
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          [t('username'), <code key="username">{username}</code>],
          groupRoles.length > 0 && [t('groupRoles'), list(groupRoles)],
          invitationExpiresTime !== null && [t('invitedUntil'), <When key="invited" time={invitationExpiresTime} />],
          [t('created'), dateTime(createdTime)],
          [
            t('updated'),
            <>
              <When time={updatedTime} /> · <Person person={updatedBy} />
            </>,
          ],
          may('tokens:read') &&
            (id === me || may('users:write')) && [
              t('tokens'),
              <Link key="tokens" to="/tokens" search={{ userId: id }}>
                {t('showTokens')}
              </Link>,
            ],
          may('audit:read') && [
            t('audit'),
            <Link key="audit" to="/audit-log" search={{ actor: String(id) }}>
              {t('showAudit')}
            </Link>,
          ],
          grants !== undefined && [t('allows'), grants.length === 0 ? t('allowsNothing') : <GrantSummary grants={grants} maxShown={shown} />],
        ]}
      />
    </Section>
  );
}

const actions = {
  create: 'onCreate',
  update: 'onUpdate',
  disable: 'onDisable',
  enable: 'onEnable',
  password: 'onPassword',
  'add-factor': 'onAddFactor',
  'remove-factor': 'onRemoveFactor',
  'recovery-codes': 'onRecoveryCodes',
  'reset-factors': 'onResetFactors',
  invite: 'onInvite',
  accept: 'onAccept',
  link: 'onLink',
  unlink: 'onUnlink',
  groups: 'onGroups',
} as const;

/** Every version of a user, with its changes. */
function Revisions({ id }: { id: number }) {
  const t = useText(userMessages);
  const query = useInfiniteQuery(userHistory(id));
  const revisions = revisionsOf(query);
  return (
    <History
      query={query}
      labels={useUserLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(actions[revision.action]),
        // Disabling, enabling and setting a password change no field.
        changes: revision.action === 'update' ? changesOf(revisions, i, (one) => contentOf(readFields(one))) : undefined,
      }))}
    />
  );
}
