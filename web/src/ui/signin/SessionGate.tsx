import { Center, Loader } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { followLive, followSession, liveStream, loadSession, newQueryClient, useOwner, useSession, type Session } from '@/api';
import { ownerOf } from '@/browser/drafts';
import { checkForUpdate } from '@/browser/version';
import { useText } from '@/i18n';
import { ConfirmProvider } from '../feedback/confirm';
import { FullPage } from '../feedback/FullPage';
import { useToasts } from '../feedback/toasts';
import { uiMessages } from '../messages';
import { shellMessages } from '../shell/messages';
import { signInMessages } from './messages';
import { SignInDialog } from './SignInDialog';
import { SignInPage } from './SignInPage';
import { StepUpDialog } from './StepUpDialog';

const retried = 3000;

/** Renders its children for a signed-in user, and the sign-in page otherwise. */
export function SessionGate({ children }: { children: ReactNode }) {
  const state = useSession();
  const { status } = state;
  useEffect(() => {
    if (status === 'loading') void loadSession();
    if (status !== 'unreachable') return;
    const timer = setInterval(() => void loadSession(), retried);
    return () => clearInterval(timer);
  }, [status]);
  useEffect(followSession, []);
  useIdentityNotice();

  switch (status) {
    case 'loading':
      return <Waiting />;
    case 'unreachable':
      return <Unreachable />;
    case 'out':
      return <SignInPage />;
    case 'in':
    case 'expired':
      return (
        <>
          <Work key={ownerOf(state.session.tenant, state.session.user.id)}>{children}</Work>
          <SignInDialog />
        </>
      );
  }
}

/**
 * The query cache, stream and notifications of one session. They are not shared with the next user,
 * who must not see the data of this session or retry its requests.
 */
function Work({ children }: { children: ReactNode }) {
  const owner = useOwner();
  const [queries] = useState(newQueryClient);
  useEffect(() => {
    const unfollow = followLive(queries);
    // After a gap the service may run another version.
    const look = liveStream.onGap(() => void checkForUpdate());
    liveStream.start(owner);
    return () => {
      liveStream.stop();
      look();
      unfollow();
      queries.clear();
      notifications.clean();
    };
  }, [owner, queries]);
  return (
    <QueryClientProvider client={queries}>
      <ConfirmProvider>{children}</ConfirmProvider>
      <StepUpDialog />
    </QueryClientProvider>
  );
}

/** Shows the new user and tenant after another tab has signed in as another user. */
function useIdentityNotice(): void {
  const t = useText(shellMessages);
  const toasts = useToasts();
  const state = useSession();
  const news = state.status === 'in' && state.elsewhere ? state.session : undefined;
  const tell = useEffectEvent(({ user, tenant }: Session) => toasts.info(t('nowYouAre', { name: user.displayName, tenant })));
  useEffect(() => {
    if (news !== undefined) tell(news);
  }, [news]);
}

function Waiting() {
  const t = useText(uiMessages);
  return (
    <Center mih="100vh" role="status">
      <Loader size="sm" />
      <span className="unseen">{t('loading')}</span>
    </Center>
  );
}

function Unreachable() {
  const t = useText(signInMessages);
  return (
    <main>
      <FullPage title={t('unreachableTitle')} hint={t('unreachableHint')}>
        <Loader size="sm" type="dots" />
      </FullPage>
    </main>
  );
}
