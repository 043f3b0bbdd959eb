import { Channel } from '@/browser/channel';
import { drafts, ownerOf } from '@/browser/drafts';
import { recents } from '@/browser/recents';
import { readStored, writeStored } from '@/browser/storage';
import { api, data } from './client';
import { onBegin } from './live';
import { isProblem } from './problem';
import type { components } from './schema';
import { sessionStore, type Session } from './session';
import { stepUpQuestion } from './stepUp';

const tenantKey = 'interlock.tenant';
/** How long a tab may have been hidden before it checks the session again, in ms. */
const unseen = 10_000;

/** Notifies the other tabs that the session changed. A message contains the owner of the drafts that were deleted. */
const others = new Channel('interlock.session');

/** The tenant of the last sign-in in this browser; empty for the default tenant. */
export function lastTenant(): string {
  return readStored(tenantKey) ?? '';
}

/** Loads the session from the service. */
export async function loadSession(): Promise<void> {
  try {
    sessionStore.signedIn(await data(api.GET('/api/v1/session')), 'elsewhere');
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) sessionStore.signedOut();
    // While the service is unreachable, an existing session stays.
    else if (sessionStore.session === undefined) sessionStore.unreachable();
  }
}

/**
 * Loads the current permissions. If the session has ended with the change, the page stays on the
 * screen until the user signs in again.
 */
async function renewRights(): Promise<void> {
  const sent = sessionStore.csrfToken;
  const before = sessionStore.session?.user.permissions;
  try {
    const now = await data(api.GET('/api/v1/session'));
    sessionStore.signedIn(now, 'elsewhere');
    // A tab that was opened after the stream started does not have the earlier topics to compare.
    if (String(before) !== String(now.user.permissions)) others.post({});
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) void sessionStore.expired(sent);
  }
}

/**
 * Follows sign-ins and sign-outs in other tabs, since all tabs share one cookie, and changes of the
 * user's permissions. The returned function unsubscribes.
 */
export function followSession(): () => void {
  let hidden = 0;
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') hidden = Date.now();
    else if (hidden > 0 && Date.now() - hidden > unseen && sessionStore.state().status === 'in') void loadSession();
  };
  document.addEventListener('visibilitychange', onVisibility);
  const stop = others.on((message) => {
    const { gone } = message as { gone?: string };
    if (gone !== undefined) drafts.clear(gone);
    const { status } = sessionStore.state();
    if (status !== 'loading' && status !== 'unreachable') void loadSession();
  });
  // The service ends a stream when the permissions of its user change, and a new one starts.
  const stopRights = onBegin(() => {
    if (sessionStore.state().status === 'in') void renewRights();
  });
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    stop();
    stopRights();
  };
}

export interface Credentials {
  username: string;
  password: string;
  /** Absent for the default tenant. */
  tenant?: string;
}

export type Challenge = components['schemas']['Challenge'];
export type FactorMethod = components['schemas']['FactorMethod'];
export type ShownFactor = components['schemas']['ShownFactor'];

/** Signs in, or returns the challenge if the user has a second factor. Throws an ApiProblem for a wrong password. */
export async function signIn(credentials: Credentials): Promise<Challenge | undefined> {
  const reply = await data(api.POST('/api/v1/session', { body: credentials }));
  writeStored(tenantKey, credentials.tenant ?? '');
  if ('challenge' in reply) return reply;
  begin(reply);
  return undefined;
}

/** Completes a sign-in with the second factor. Throws an ApiProblem for a wrong code or an expired challenge. */
export async function finishSignIn(challenge: string, shown: Omit<ShownFactor, 'challenge'>): Promise<void> {
  begin(await data(api.POST('/api/v1/session/factor', { body: { challenge, ...shown } })));
}

export type Invited = components['schemas']['Invited'];

/** Returns the user that an invitation was issued for. */
export function checkInvitation(invitation: string, signal?: AbortSignal): Promise<Invited> {
  return data(api.POST('/api/v1/session/invitation/check', { body: { invitation }, signal }));
}

/** Sets the password of an invited user and signs in, or returns the challenge if the user has a second factor. */
export async function acceptInvitation(invitation: string, password: string): Promise<Challenge | undefined> {
  const reply = await data(api.POST('/api/v1/session/invitation', { body: { invitation, password } }));
  if ('challenge' in reply) return reply;
  rememberTenant(reply.tenant);
  begin(reply);
  return undefined;
}

export type Provider = components['schemas']['Provider'];

/** The identity providers of a tenant. */
export async function listProviders(tenant: string, signal?: AbortSignal): Promise<Provider[]> {
  const query = tenant === '' ? {} : { tenant };
  return (await data(api.GET('/api/v1/session/providers', { params: { query }, signal }))).items;
}

/** The URL that starts a sign-in at a provider for a tenant. */
export const providerAddress = (provider: string, tenant: string): string =>
  `/api/v1/session/oidc/${encodeURIComponent(provider)}${tenant === '' ? '' : `?tenant=${encodeURIComponent(tenant)}`}`;

/** Returns the URL for accepting an invitation through a provider. */
export async function acceptByProvider(invitation: string, provider: string): Promise<string> {
  return (await data(api.POST('/api/v1/session/invitation/provider', { body: { invitation, provider } }))).location;
}

/** Adopts the session that started with the redirect from a provider. */
export async function arrive(): Promise<void> {
  await loadSession();
  const { session } = sessionStore;
  if (session !== undefined) rememberTenant(session.tenant);
  others.post({});
}

function rememberTenant(tenant: string): void {
  writeStored(tenantKey, tenant === 'default' ? '' : tenant);
}

function begin(session: Session): void {
  sessionStore.signedIn(session);
  others.post({});
}

/** Returns the available factors, and the challenge for a passkey. */
export function beginStepUp(signal?: AbortSignal): Promise<Challenge> {
  return data(api.POST('/api/v1/session/step-up/challenge', { signal }));
}

/** Verifies the second factor again. Requests that wait for it resume in the renewed session. */
export async function stepUp(shown: ShownFactor): Promise<void> {
  const renewal = data(api.POST('/api/v1/session/step-up', { body: shown })).then(begin);
  sessionStore.renewing(renewal);
  await renewal;
  stepUpQuestion.settle(true);
}

/** Signs out and deletes the drafts of the user from this browser. */
export async function signOut(): Promise<void> {
  const { session } = sessionStore;
  try {
    await api.DELETE('/api/v1/session');
  } catch (error) {
    if (!isProblem(error, 'unauthenticated')) throw error;
  }
  sessionStore.signedOut();
  const gone = session && ownerOf(session.tenant, session.user.id);
  if (gone !== undefined) {
    drafts.clear(gone);
    recents.clear(gone);
  }
  others.post({ gone });
}
