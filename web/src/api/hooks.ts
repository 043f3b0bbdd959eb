import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { ownerOf } from '@/browser/drafts';
import { liveStream, onLive, type LiveEvent, type Topic } from './live';
import { attempts, type Doubt } from './retry';
import { may, sessionStore, type Session, type SessionState, type SessionUser } from './session';
import { stepUpQuestion } from './stepUp';
import type { LiveState, SharedStream } from './stream';

export function useSession(): SessionState {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.state);
}

/** Whether the user is prompted for the second factor again. */
export function useStepUp(): boolean {
  return useSyncExternalStore(stepUpQuestion.subscribe, stepUpQuestion.isAsked);
}

function useOpenSession(): Session {
  const state = useSession();
  if (!('session' in state)) throw new Error('no user is signed in');
  return state.session;
}

/** The signed-in user; only below the sign-in gate. */
export const useUser = (): SessionUser => useOpenSession().user;

/** The tenant of the session; only below the sign-in gate. */
export const useTenant = (): string => useOpenSession().tenant;

/** The owner of the stored drafts; only below the sign-in gate. */
export function useOwner(): string {
  const { tenant, user } = useOpenSession();
  return ownerOf(tenant, user.id);
}

/** Returns a check of the user's permissions. The check returns true for undefined, which means that no permission is required. */
export function useMay(): (permission: string | undefined) => boolean {
  const state = useSession();
  const permissions = 'session' in state ? state.session.user.permissions : [];
  return (permission) => permission === undefined || may(permissions, permission);
}

export function useLiveState(stream: SharedStream = liveStream): LiveState {
  return useSyncExternalStore(stream.subscribe, stream.state);
}

/** Calls the handler for each announced change of a topic while the component is mounted. */
export function useLive(topic: Topic | undefined, handler: (event: LiveEvent) => void): void {
  const onEvent = useEffectEvent(handler);
  useEffect(() => onLive(topic, (event) => onEvent(event)), [topic]);
}

/** The state of the retried request with this key; undefined if the request is not being retried. */
export function useDoubt(key: string): Doubt | undefined {
  return useSyncExternalStore(attempts.subscribe, () => attempts.of(key));
}

/** Calls the handler when the service replays the stored reply of an earlier write with the same key. */
export function useReplays(handler: () => void): void {
  const onReplay = useEffectEvent(handler);
  useEffect(() => attempts.onReplay(() => onReplay()), []);
}
