import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { sessionStore, useSession } from '@/api';
import { useText } from '@/i18n';
import { signInMessages } from './messages';
import { SignInForm } from './SignInForm';

/**
 * Opens over the page when the session has expired. The page below retains its contents, and the
 * rejected requests are sent again.
 */
export function SignInDialog() {
  const t = useText(signInMessages);
  const state = useSession();
  const session = 'session' in state ? state.session : undefined;
  const user = session?.user;
  return (
    <Modal
      opened={state.status === 'expired'}
      onClose={() => undefined}
      title={t('expiredTitle')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={1000}
    >
      {session !== undefined && user !== undefined && (
        <Stack gap="md">
          <Text>{t('expiredHint', { name: user.displayName })}</Text>
          <SignInForm known={{ username: user.username, tenant: session.tenant }} />
          <Text fz="sm" c="dimmed">
            <Anchor component="button" type="button" inherit onClick={() => sessionStore.signedOut()}>
              {t('otherUser')}
            </Anchor>
            <br />
            {t('otherUserHint', { name: user.displayName })}
          </Text>
        </Stack>
      )}
    </Modal>
  );
}
