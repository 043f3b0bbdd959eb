import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { ownerOf } from '@/browser/drafts';
import { liveStream, onLive, type LiveEvent } from './live';
import { attempts, type Doubt } from './retry';
import { may, sessionStore, type Session, type SessionState, type SessionUser } from './session';
import { stepUpQuestion } from './stepUp';
import type { LiveState, SharedStream } from './stream';

export function useSession(): SessionState {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.state);
}

/** Whether the second factor is asked for afresh. */
export function useStepUp(): boolean {
  return useSyncExternalStore(stepUpQuestion.subscribe, stepUpQuestion.isAsked);
}

function useOpenSession(): Session {
  const state = useSession();
  if (!('session' in state)) throw new Error('nobody is signed in');
  return state.session;
}

/** Who is signed in; only below the sign-in gate. */
export const useUser = (): SessionUser => useOpenSession().user;

/** The name of the tenant that one is signed in to; only below the sign-in gate. */
export const useTenant = (): string => useOpenSession().tenant;

/** Whose drafts are kept; only below the sign-in gate. */
export function useOwner(): string {
  const { tenant, user } = useOpenSession();
  return ownerOf(tenant, user.id);
}

/** Whether the user has a permission; undefined asks for none. */
export function useMay(): (permission: string | undefined) => boolean {
  const state = useSession();
  const permissions = 'session' in state ? state.session.user.permissions : [];
  return (permission) => permission === undefined || may(permissions, permission);
}

export function useLiveState(stream: SharedStream = liveStream): LiveState {
  return useSyncExternalStore(stream.subscribe, stream.state);
}

/** Calls the handler for each announced change of a topic while the component is shown. */
export function useLive(topic: string, handler: (event: LiveEvent) => void): void {
  const onEvent = useEffectEvent(handler);
  useEffect(() => onLive(topic, (event) => onEvent(event)), [topic]);
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
