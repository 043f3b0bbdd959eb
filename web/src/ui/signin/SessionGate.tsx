import { Center, Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { followLive, liveStream, loadSession, useSession } from '@/api';
import { useText } from '@/i18n';
import { FullPage } from '../feedback/FullPage';
import { uiMessages } from '../messages';
import { signInMessages } from './messages';
import { SignInDialog } from './SignInDialog';
import { SignInPage } from './SignInPage';

const retried = 3000;

/** Shows its children to who is signed in, and asks everybody else to sign in. */
export function SessionGate({ children }: { children: ReactNode }) {
  const state = useSession();
  const { status } = state;
  const user = 'session' in state ? state.session.user.id : undefined;
  useEffect(() => {
    if (status === 'loading') void loadSession();
    if (status !== 'unreachable') return;
    const timer = setInterval(() => void loadSession(), retried);
    return () => clearInterval(timer);
  }, [status]);
  useLiveWhile(user);

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
          <div key={user}>{children}</div>
          <SignInDialog />
        </>
      );
  }
}

/** Follows the stream while somebody is signed in; what one has read is not for the next. */
function useLiveWhile(user: number | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (user === undefined) return;
    const unfollow = followLive(queries);
    liveStream.start();
    return () => {
      liveStream.stop();
      unfollow();
      queries.clear();
    };
  }, [user, queries]);
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
