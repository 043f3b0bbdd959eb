import { Channel } from '@/browser/channel';
import { drafts, ownerOf } from '@/browser/drafts';
import { recall, remember } from '@/browser/storage';
import { api, data } from './client';
import { onBegin } from './live';
import { isProblem } from './problem';
import type { components } from './schema';
import { sessionStore, type Session } from './session';
import { stepUpQuestion } from './stepUp';

const tenantKey = 'interlock.tenant';
/** How long a tab may have been out of sight before it asks anew who is signed in, in ms. */
const unseen = 10_000;

/** Tells the other tabs that the session is another one, and whose drafts are gone. */
const others = new Channel('interlock.session');

/** The tenant that was last signed in to from this browser; empty for the default one. */
export function lastTenant(): string {
  return recall(tenantKey) ?? '';
}

/** Asks who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    sessionStore.signedIn(await data(api.GET('/api/v1/session')), 'elsewhere');
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) sessionStore.signedOut();
    // Who is at work stays so while the service is away.
    else if (sessionStore.session === undefined) sessionStore.unreachable();
  }
}

/** Asks what one may do now. A session that was ended with the change leaves the work on the screen, as any that ends. */
async function renewRights(): Promise<void> {
  const sent = sessionStore.csrfToken;
  const before = sessionStore.session?.user.permissions;
  try {
    const now = await data(api.GET('/api/v1/session'));
    sessionStore.signedIn(now, 'elsewhere');
    // Tabs that were opened since the stream began have not heard of the one before.
    if (String(before) !== String(now.user.permissions)) others.post({});
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) void sessionStore.expired(sent);
  }
}

/**
 * Notices when another tab signs in or out, until the returned function is called: all
 * tabs have one cookie, so that what this one reads from then on is somebody else's. And
 * when somebody changes what one may do oneself, which is then shown.
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
  // The service ends a stream when what its caller may do has changed, and another begins.
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
  /** Absent for the default one. */
  tenant?: string;
}

export type Challenge = components['schemas']['Challenge'];
export type FactorMethod = components['schemas']['FactorMethod'];
export type ShownFactor = components['schemas']['ShownFactor'];

/**
 * Signs in, or returns the challenge of somebody who has a second factor. A wrong password
 * is thrown as the problem that it is.
 */
export async function signIn(credentials: Credentials): Promise<Challenge | undefined> {
  const reply = await data(api.POST('/api/v1/session', { body: credentials }));
  remember(tenantKey, credentials.tenant ?? '');
  if ('challenge' in reply) return reply;
  begin(reply);
  return undefined;
}

/** Finishes a sign-in with the second factor; a wrong code, or a challenge that has ended, is thrown as the problem that it is. */
export async function finishSignIn(challenge: string, shown: Omit<ShownFactor, 'challenge'>): Promise<void> {
  begin(await data(api.POST('/api/v1/session/factor', { body: { challenge, ...shown } })));
}

export type Invited = components['schemas']['Invited'];

/** Asks whom an invitation is for. */
export function checkInvitation(invitation: string, signal?: AbortSignal): Promise<Invited> {
  return data(api.POST('/api/v1/session/invitation/check', { body: { invitation }, signal }));
}

/** Gives who was invited the password that they chose and signs in, or returns the challenge of somebody who has a second factor. */
export async function acceptInvitation(invitation: string, password: string): Promise<Challenge | undefined> {
  const reply = await data(api.POST('/api/v1/session/invitation', { body: { invitation, password } }));
  if ('challenge' in reply) return reply;
  rememberTenant(reply.tenant);
  begin(reply);
  return undefined;
}

export type Provider = components['schemas']['Provider'];

/** The providers that users of a tenant can sign in by. */
export async function listProviders(tenant: string, signal?: AbortSignal): Promise<Provider[]> {
  const query = tenant === '' ? {} : { tenant };
  return (await data(api.GET('/api/v1/session/providers', { params: { query }, signal }))).items;
}

/** The address that sends a browser to a provider, to sign in to a tenant. */
export const providerAddress = (provider: string, tenant: string): string =>
  `/api/v1/session/oidc/${encodeURIComponent(provider)}${tenant === '' ? '' : `?tenant=${encodeURIComponent(tenant)}`}`;

/** Asks where to go to accept an invitation by a provider. */
export async function acceptByProvider(invitation: string, provider: string): Promise<string> {
  return (await data(api.POST('/api/v1/session/invitation/provider', { body: { invitation, provider } }))).location;
}

/** Takes up the session that a provider's answer began. */
export async function arrive(): Promise<void> {
  await loadSession();
  const { session } = sessionStore;
  if (session !== undefined) rememberTenant(session.tenant);
  others.post({});
}

function rememberTenant(tenant: string): void {
  remember(tenantKey, tenant === 'default' ? '' : tenant);
}

function begin(session: Session): void {
  sessionStore.signedIn(session);
  others.post({});
}

/** Asks what can be shown afresh, and what a passkey has to sign. */
export function beginStepUp(signal?: AbortSignal): Promise<Challenge> {
  return data(api.POST('/api/v1/session/step-up/challenge', { signal }));
}

/** Shows the second factor again; the requests that wait for it go on in the session as it is then. */
export async function stepUp(shown: ShownFactor): Promise<void> {
  const renewal = data(api.POST('/api/v1/session/step-up', { body: shown })).then(begin);
  sessionStore.renewing(renewal);
  await renewal;
  stepUpQuestion.settle(true);
}

/** Signs out, and removes what was begun and not finished from this browser. */
export async function signOut(): Promise<void> {
  const { session } = sessionStore;
  try {
    await api.DELETE('/api/v1/session');
  } catch (error) {
    if (!isProblem(error, 'unauthenticated')) throw error;
  }
  sessionStore.signedOut();
  const gone = session && ownerOf(session.tenant, session.user.id);
  if (gone !== undefined) drafts.clear(gone);
  others.post({ gone });
}
