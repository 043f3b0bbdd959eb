import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { randomId } from '@/browser/id';
import { LiveStream, type LiveEvent, type LiveState } from './live';
import { attempts, type Doubt } from './retry';
import { may, sessionStore, type SessionState, type SessionUser } from './session';

export const liveStream = new LiveStream(sessionStore);

export function useSession(): SessionState {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.state);
}

/** Who is signed in; only below the sign-in gate. */
export function useUser(): SessionUser {
  const state = useSession();
  if (!('session' in state)) throw new Error('nobody is signed in');
  return state.session.user;
}

/** The name of the tenant that one is signed in to; only below the sign-in gate. */
export function useTenant(): string {
  const state = useSession();
  if (!('session' in state)) throw new Error('nobody is signed in');
  return state.session.tenant;
}

/** Whether the user has a permission; undefined asks for none. */
export function useMay(): (permission: string | undefined) => boolean {
  const state = useSession();
  const permissions = 'session' in state ? state.session.user.permissions : [];
  return (permission) => permission === undefined || may(permissions, permission);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(liveStream.subscribe, liveStream.state);
}

/** Calls the handler for each announced change of a topic while the component is shown. */
export function useLive(topic: string, handler: (event: LiveEvent) => void): void {
  const onEvent = useEffectEvent(handler);
  useEffect(() => liveStream.on(topic, (event) => onEvent(event)), [topic]);
}

/** What is known of the request with a key while it is repeated; undefined when it is not. */
export function useDoubt(key: string): Doubt | undefined {
  return useSyncExternalStore(attempts.subscribe, () => attempts.of(key));
}

/** Calls the handler when a write is answered with what an earlier one with its key was answered. */
export function useReplays(handler: () => void): void {
  const onReplay = useEffectEvent(handler);
  useEffect(() => attempts.onReplay(() => onReplay()), []);
}

/**
 * The idempotency key of a dialog or form. It is minted when it opens, survives a
 * retry and a reload of the tab, and is renewed once the outcome is known.
 *
 * `scope` names what is about to be done: "orders/17/pay".
 */
export function useIdempotencyKey(scope: string): { key: string; renew: () => void } {
  const storedAs = `interlock.key.${scope}`;
  const [key, setKey] = useState(() => kept(storedAs) ?? mint(storedAs));
  return { key, renew: () => setKey(mint(storedAs)) };
}

function kept(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function mint(name: string): string {
  const key = randomId();
  try {
    sessionStorage.setItem(name, key);
  } catch {
    // The key then lives as long as the page.
  }
  return key;
}
