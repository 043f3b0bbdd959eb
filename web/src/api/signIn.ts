import { recall, remember } from '@/browser/storage';
import { api, data } from './client';
import { isProblem } from './problem';
import { sessionStore, type SessionUser } from './session';

const tenantKey = 'interlock.tenant';

/** The tenant that was last signed in to from this browser; empty for the default one. */
export function lastTenant(): string {
  return recall(tenantKey) ?? '';
}

/** Asks who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    sessionStore.signedIn(await data(api.GET('/api/v1/session')));
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) sessionStore.signedOut();
    else sessionStore.unreachable();
  }
}

export interface Credentials {
  username: string;
  password: string;
  /** Absent for the default one. */
  tenant?: string;
}

/** Signs in; a wrong password is thrown as the problem that it is. */
export async function signIn(credentials: Credentials): Promise<SessionUser> {
  const session = await data(api.POST('/api/v1/session', { body: credentials }));
  remember(tenantKey, credentials.tenant ?? '');
  sessionStore.signedIn(session);
  return session.user;
}

export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/api/v1/session');
  } catch (error) {
    if (!isProblem(error, 'unauthenticated')) throw error;
  }
  sessionStore.signedOut();
}
