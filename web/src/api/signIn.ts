import { api, data } from './client';
import { isProblem } from './problem';
import { sessionStore, type SessionUser } from './session';

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
}

/** Signs in; a wrong password is thrown as the problem that it is. */
export async function signIn(credentials: Credentials): Promise<SessionUser> {
  const session = await data(api.POST('/api/v1/session', { body: credentials }));
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
