import { useMemo, useState, useSyncExternalStore } from 'react';
import { ApiProblem, attempts, isUnknown, keyExpired, onReconnect, otherIdentity, sessionStore, useOwner } from '@/api';
import { drafts, type Kept, type Named } from '@/browser/drafts';
import { randomId } from '@/browser/id';

/** The place of one begun thing in the store of drafts. */
export interface Slot {
  /** Whether who began it is signed in now, in the tenant where they did. */
  isOwn: () => boolean;
  get: () => Kept | undefined;
  /** Keeps a change; a slot in which nothing is typed and nothing is open is deleted. */
  put: (change: Partial<Kept>) => void;
  /** Deletes what is typed. A request without an answer stays, with its key. */
  drop: () => void;
  /** Deletes all of it, also a request whose outcome is unknown; does nothing while one is in flight. */
  giveUp: () => void;
  /** Whether a request is in flight from this tab: a dialog that is opened again finds it here. */
  isSending: () => boolean;
  /** Marks a request as in flight until the returned function is called. */
  sending: () => () => void;
  /** Calls `again` for the request whose outcome is unknown, each time that the connection is back. */
  settleLater: (again: () => void) => void;
  /** Says whether it is secret, so that it is held by this tab alone. */
  conceal: (isSecret: boolean) => void;
}

export function slotOf(named: Named, title: string): Slot {
  const get = () => drafts.get(named);
  const put = (change: Partial<Kept>) => {
    const before = get();
    const at = Date.now();
    const kept: Kept = { ...before, ...change, title, at, page: window.location.pathname + window.location.search };
    // The key belongs to what was sent under it.
    if (before?.sent !== undefined && kept.sent !== undefined) kept.key = before.key;
    kept.sentAt = kept.sent === undefined ? undefined : before?.sent === undefined ? at : sentAtOf(before);
    if (kept.value === undefined && kept.sent === undefined) drafts.drop(named);
    else drafts.keep(named, kept);
  };
  const isOwn = () => sessionStore.owner === named.owner;
  const isSending = () => drafts.isInFlight(named);
  return {
    isOwn,
    get,
    put,
    drop: () => put({ value: undefined, base: undefined }),
    giveUp: () => {
      if (!isSending()) drafts.drop(named);
    },
    isSending,
    sending: () => drafts.sending(named),
    settleLater: (again) => {
      const name = `${named.owner}/${named.scope}`;
      const key = get()?.key;
      unknown.set(name, () => {
        const kept = get();
        if (kept?.sent === undefined || kept.key !== key) unknown.delete(name);
        else if (isOwn() && !isSending()) again();
      });
    },
    conceal: (isSecret) => drafts.conceal(named, isSecret),
  };
}

/** The requests of this tab whose outcome is unknown, by owner and scope. */
const unknown = new Map<string, () => void>();
onReconnect(() => unknown.forEach((settle) => settle()));

const hour = 3_600_000;
/** How long a request may be asked for again under its key: a little less than the service keeps its answer. */
const keyLife = 23 * hour;

const sentAtOf = ({ sentAt, at }: Kept): number => sentAt ?? at;

/** Whether what was sent may have been forgotten by the service, so that the same would be done once more. */
const isForgotten = (kept: Kept | undefined): boolean => kept?.sent !== undefined && Date.now() - sentAtOf(kept) > keyLife;

/** Refuses to ask again for what cannot be asked for any more. */
export function requireKey(slot: Slot): void {
  if (!slot.isOwn()) throw otherIdentity();
  if (isForgotten(slot.get())) throw keyExpired();
}

/** What is kept under a scope, as it changes; what was begun earlier or in another tab is found when it opens. */
export function useSlot(scope: string, title: string): { kept: Kept | undefined; slot: Slot; restored: number | undefined } {
  const owner = useOwner();
  const named = useMemo(() => ({ owner, scope }), [owner, scope]);
  const [restored] = useState(() => drafts.open(named)?.at);
  const kept = useSyncExternalStore(drafts.subscribe, () => drafts.get(named));
  const slot = useMemo(() => slotOf(named, title), [named, title]);
  return { kept, slot, restored: kept === undefined ? undefined : restored };
}

/**
 * The steps that can be taken with a record: those that are allowed, and those that were
 * sent and not answered. Such a one can be asked for again, though it may have changed
 * what is allowed.
 */
export function useSteps<A extends string>(scope: string, allowed: readonly A[]): readonly A[] {
  const owner = useOwner();
  const unanswered = useSyncExternalStore(drafts.subscribe, () =>
    drafts
      .list(owner)
      .filter((kept) => kept.sent !== undefined && kept.scope.startsWith(`${scope}/`))
      .map((kept) => kept.scope.slice(scope.length + 1))
      .join(' '),
  );
  return useMemo(() => [...new Set([...allowed, ...(unanswered.split(' ').filter(Boolean) as A[])])], [allowed, unanswered]);
}

/**
 * Sends a write once, however often it is sent: under the key of its slot, which is
 * kept, with what was sent, before the first byte leaves. A crash before that point has
 * sent nothing; a crash after it leaves the key to ask again with.
 *
 * With the service's answer the key is spent. While the outcome is unknown it stays,
 * and only the same may be sent under it. Nothing is sent by somebody else than who
 * began it, nor in another tenant, nor when the service may have forgotten the key.
 */
export async function sendOnce<T>(slot: Slot, sent: unknown, send: (key: string) => Promise<T>): Promise<T> {
  requireKey(slot);
  const earlier = slot.get();
  const key = earlier?.key ?? randomId();
  slot.put({ key, sent });
  const isRepeat = earlier?.sent !== undefined;
  if (isRepeat) attempts.doubt(key, 'checking');
  const arrived = slot.sending();
  try {
    const reply = await send(key);
    slot.put({ key: undefined, sent: undefined });
    return reply;
  } catch (error) {
    if (error instanceof ApiProblem && isRepeat) error.isInDoubt = true;
    if (!isUnknown(error)) slot.put({ key: undefined, sent: undefined });
    throw error;
  } finally {
    arrived();
    if (isRepeat) attempts.answered(key, false);
  }
}
