import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, Facts, Person, RecordDrawer, When } from '@/ui';
import { GrantList } from '../GrantList';
import { ExpiryChip } from './ExpiryChip';
import { tokenMessages } from './messages';
import { oneToken, type Token } from './queries';
import { ActingUser } from './ActingUser';
import { useRevoke } from './useRevoke';

/** The details of a token, and its revocation. */
export function TokenDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const t = useText(tokenMessages);
  return (
    <RecordDrawer
      query={useQuery(oneToken(id))}
      title={t('one')}
      missing={
        <Banner tone="info" title={t('missing')}>
          {t('missingHint')}
        </Banner>
      }
      onClose={onClose}
    >
      {(token) => <About token={token} onRevoked={onClose} />}
    </RecordDrawer>
  );
}

function About({ token, onRevoked }: { token: Token; onRevoked: () => void }) {
  const t = useText(tokenMessages);
  const mayWrite = useMay()('tokens:write');
  const revoke = useRevoke(token, onRevoked);
  const { name, username, scopes, expiresTime, lastUsedTime, createdTime, createdBy } = token;
  return (
    <Stack gap="lg">
      <Facts
        layout="list"
        facts={[
          [t('name'), name],
          [t('user'), <ActingUser key="user" token={token} />],
          [t('expires'), <ExpiryChip key="expires" expiresTime={expiresTime} />],
          [t('lastUsed'), lastUsedTime === null ? t('neverUsed') : <When time={lastUsedTime} />],
          [
            t('created'),
            <>
              <When time={createdTime} /> · <Person person={createdBy} />
            </>,
          ],
          [t('scopes'), scopes === null ? t('allRights', { user: username }) : <GrantList key="scopes" grants={scopes} />],
        ]}
      />
      {mayWrite && (
        <Group>
          <Button color="bad" variant="subtle" loading={revoke.isSending} disabled={revoke.isUnknown} onClick={() => void revoke.ask()}>
            {t('revoke')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
