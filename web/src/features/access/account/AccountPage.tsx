import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { loadSession, useMay, useUser } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Facts, Person, RecordPage, Section, When } from '@/ui';
import { GrantGroups } from '../GrantList';
import { SecondFactors } from '../factors/SecondFactors';
import { Links } from '../links/Links';
import { Sessions } from '../sessions/Sessions';
import { useUserLabels } from '../users/fields';
import { accountMessages } from './messages';
import { ChangePassword } from './ChangePassword';
import { NameForm } from './NameForm';
import { myAccount, type Me } from './queries';

/** The account of the signed-in user: identity, display name, permissions and sessions. */
export function AccountPage() {
  const t = useText(accountMessages);
  const labels = useUserLabels();
  const { id, displayName } = useUser();
  const mayRead = useMay()('users:read');
  const query = useQuery(myAccount(id));
  const [field, setField] = useState<string>();
  const name = query.data?.displayName;
  useEffect(() => {
    // The frame around the page shows the name from the session, so the session is loaded again.
    if (name !== undefined && name !== displayName) void loadSession();
  }, [name, displayName]);
  return (
    <RecordPage
      query={query}
      name={t('title')}
      resource={mayRead ? `users/${id}` : undefined}
      field={field}
      fieldLabel={(one) => labels.field(`/${one}`)}
      actions={(me) => me.hasPassword && <PasswordAction />}
    >
      {(me) => (
        <>
          <AboutMe me={me} />
          <NameForm me={me} onField={setField} />
          <SecondFactors userId={id} hasPassword={me.hasPassword} />
          <Links userId={id} isOwn hasPassword={me.hasPassword} />
          <Sessions userId={id} />
          <Section title={t('allows')} hint={t('allowsHint')}>
            <GrantGroups grants={me.permissions} />
          </Section>
        </>
      )}
    </RecordPage>
  );
}

function PasswordAction() {
  const t = useText(accountMessages);
  const [changing, { open, close }] = useDisclosure();
  return (
    <>
      <Button onClick={open}>{t('change')}</Button>
      {changing && <ChangePassword onClose={close} />}
    </>
  );
}

function AboutMe({ me: { id, username, roles, groupRoles, createdTime, updatedTime, updatedBy } }: { me: Me }) {
  const t = useText(accountMessages);
  const { dateTime, list } = useFormat();
  const may = useMay();
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          [t('username'), <code key="username">{username}</code>],
          [t('roles'), roles.length === 0 ? t('noRoles') : list(roles)],
          groupRoles.length > 0 && [t('groupRoles'), list(groupRoles)],
          [t('created'), dateTime(createdTime)],
          [
            t('updated'),
            <>
              <When time={updatedTime} /> · <Person person={updatedBy} />
            </>,
          ],
          may('tokens:read') && [
            t('tokens'),
            <Link key="tokens" to="/tokens" search={{ userId: id }}>
              {t('showTokens')}
            </Link>,
          ],
          may('users:read') && [
            t('record'),
            <Link key="record" to="/users/$id" params={{ id: String(id) }}>
              {t('showRecord')}
            </Link>,
          ],
        ]}
      />
    </Section>
  );
}
