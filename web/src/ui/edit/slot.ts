import { useMemo, useState, useSyncExternalStore } from 'react';
import { ApiProblem, attempts, isUnknown, keyExpired, onReconnect, otherIdentity, sessionStore, useOwner } from '@/api';
import { drafts, type StoredDraft, type DraftName } from '@/browser/drafts';
import { randomId } from '@/browser/id';

/** The entry of one form or write in the draft store. */
export interface Slot {
  /** Whether the signed-in user and tenant are those of the draft. */
  isOwn: () => boolean;
  get: () => StoredDraft | undefined;
  /** Stores a change. A slot without input and without a pending request is deleted. */
  put: (change: Partial<StoredDraft>) => void;
  /** Deletes the input. A request without a response stays stored with its key. */
  drop: () => void;
  /**
   * Deletes everything, including a request with an unknown outcome; does nothing while a request
   * is in flight.
   */
  abandon: () => void;
  /** Whether this tab has a request in flight, even if the dialog that sent it was closed. */
  isSending: () => boolean;
  /** Marks a request as in flight until the returned function is called. */
  sending: () => () => void;
  /** Calls `again` for a request with an unknown outcome on each reconnect. */
  retryOnReconnect: (retry: () => void) => void;
  /** Sets whether the input is secret: secret input stays in the memory of this tab. */
  setSecret: (isSecret: boolean) => void;
}

export function slotOf(name: DraftName, title: string): Slot {
  const get = () => drafts.get(name);
  const put = (change: Partial<StoredDraft>) => {
    const before = get();
    const at = Date.now();
    const stored: StoredDraft = { ...before, ...change, title, at, page: window.location.pathname + window.location.search };
    // A pending request was sent under the stored key, so the key must not change.
    if (before?.sent !== undefined && stored.sent !== undefined) stored.key = before.key;
    stored.sentAt = stored.sent === undefined ? undefined : before?.sent === undefined ? at : sentAtOf(before);
    if (stored.value === undefined && stored.sent === undefined) drafts.drop(name);
    else drafts.store(name, stored);
  };
  const isOwn = () => sessionStore.owner === name.owner;
  const isSending = () => drafts.isInFlight(name);
  return {
    isOwn,
    get,
    put,
    drop: () => put({ value: undefined, base: undefined }),
    abandon: () => {
      if (!isSending()) drafts.drop(name);
    },
    isSending,
    sending: () => drafts.sending(name),
    retryOnReconnect: (retry) => {
      const id = `${name.owner}/${name.scope}`;
      const key = get()?.key;
      unsettled.set(id, () => {
        const stored = get();
        if (stored?.sent === undefined || stored.key !== key) unsettled.delete(id);
        else if (isOwn() && !isSending()) retry();
      });
    },
    setSecret: (isSecret) => drafts.setSecret(name, isSecret),
  };
}

/** Requests of this tab with an unknown outcome, by owner and scope. */
const unsettled = new Map<string, () => void>();
onReconnect(() => unsettled.forEach((retry) => retry()));

const hour = 3_600_000;
/**
 * How long a request can be retried under its key, in ms: less than the 24 h for which the service
 * stores its reply.
 */
const keyTtl = 23 * hour;

const sentAtOf = ({ sentAt, at }: StoredDraft): number => sentAt ?? at;

/** Whether the service may have deleted the key, so that a retry could apply the write twice. */
const isExpired = (stored: StoredDraft | undefined): boolean => stored?.sent !== undefined && Date.now() - sentAtOf(stored) > keyTtl;

/** Throws if the pending request of the slot cannot be retried. */
export function requireKey(slot: Slot): void {
  if (!slot.isOwn()) throw otherIdentity();
  if (isExpired(slot.get())) throw keyExpired();
}

/**
 * Returns the draft of a scope and follows its changes. On mount it restores the draft of an
 * earlier visit or another tab.
 */
export function useSlot(scope: string, title: string): { stored: StoredDraft | undefined; slot: Slot; restored: number | undefined } {
  const owner = useOwner();
  const name = useMemo(() => ({ owner, scope }), [owner, scope]);
  const [restored] = useState(() => drafts.open(name)?.at);
  const stored = useSyncExternalStore(drafts.subscribe, () => drafts.get(name));
  const slot = useMemo(() => slotOf(name, title), [name, title]);
  return { stored, slot, restored: stored === undefined ? undefined : restored };
}

/**
 * Returns the allowed steps of a record, and the steps with a pending request. That request may
 * have been carried out, and then its step is no longer allowed.
 */
export function useSteps<A extends string>(scope: string, allowed: readonly A[]): readonly A[] {
  const owner = useOwner();
  const unanswered = useSyncExternalStore(drafts.subscribe, () =>
    drafts
      .list(owner)
      .filter((stored) => stored.sent !== undefined && stored.scope.startsWith(`${scope}/`))
      .map((stored) => stored.scope.slice(scope.length + 1))
      .join(' '),
  );
  return useMemo(() => [...new Set([...allowed, ...(unanswered.split(' ').filter(Boolean) as A[])])], [allowed, unanswered]);
}

/**
 * Sends a write so that repeated attempts apply it once. The slot stores the key and the request
 * before the first byte is sent: a crash before that has sent nothing, and a crash after it leaves
 * the key for a retry.
 *
 * After a response of the service the key is not used again. While the outcome is unknown, only the
 * same request is sent under the key. Rejects without sending if another user or tenant is signed in, or if the service
 * may have expired the key.
 */
export async function sendOnce<T>(slot: Slot, sent: unknown, send: (key: string) => Promise<T>): Promise<T> {
  requireKey(slot);
  const earlier = slot.get();
  const key = earlier?.key ?? randomId();
  slot.put({ key, sent });
  const isRepeat = earlier?.sent !== undefined;
  if (isRepeat) attempts.doubt(key, 'checking');
  const unmark = slot.sending();
  try {
    const reply = await send(key);
    slot.put({ key: undefined, sent: undefined });
    return reply;
  } catch (error) {
    if (error instanceof ApiProblem && isRepeat) error.isInDoubt = true;
    if (!isUnknown(error)) slot.put({ key: undefined, sent: undefined });
    throw error;
  } finally {
    unmark();
    if (isRepeat) attempts.answered(key, false);
  }
}
