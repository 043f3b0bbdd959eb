import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isUnknown, proposalOf, type Approval } from '@/api';
import { drafts } from '@/browser/drafts';
import { useToasts } from '../feedback/toasts';
import { sendOnce, useSlot, type Slot } from './slot';

export interface KeyedOptions<V, R> {
  /** What is about to be done: "orders/17/v2/pay". Its key is kept under this name. */
  scope: string;
  /** What people call it, in the list of what is not finished. */
  title: string;
  /** What it changes, by the topics of queries: read again whatever came of it. */
  topics?: readonly string[];
  /** One that takes no key is repeated only by the user, because a repeat may do it once more. */
  send: (request: V, key: string) => Promise<R>;
  onDone: (reply: R, request: V) => unknown;
  /** The service said no; nothing was changed, and the key is spent. */
  onRefused?: (error: Error, request: V) => unknown;
  /** It was not done, but waits for the votes of others; told in the corner unless it is told here. */
  onProposed?: (approval: Approval, request: V) => unknown;
  /** No word of the service came back; without an error: another request has to wait for that. */
  onUnknown?: (error?: Error) => unknown;
}

export type Outcome = 'idle' | 'sending' | 'done' | 'proposed' | 'refused' | 'unknown';

export interface KeyedMutation<V, R> {
  /** What came of it. While it is unknown, nothing but the same can be asked for. */
  outcome: Outcome;
  /** Sends a request; refused while another is on its way or its outcome is not known. */
  run: (request: V) => void;
  /** Sends what was sent and not answered once more, under its key. */
  again: () => void;
  /** The idempotency key, once there is one. */
  key: string | undefined;
  /** What was sent and is not answered. */
  sent: V | undefined;
  /** What waits for votes in its place, when it was proposed. */
  proposal: Approval | undefined;
  /** Why it was refused, or not answered. */
  error: Error | null;
  /** What it was answered, once it is done. */
  reply: R | undefined;
  /** Takes back what was said of the last attempt. */
  reset: () => void;
  /** Asks no more for what was sent, whatever became of it; not while it is on its way. */
  giveUp: () => void;
}

/**
 * The only way to write; a record form and a bulk run, which may send several requests,
 * keep their keys in the same slots. A write is sent under a key that is minted before it first
 * leaves and survives retry, reload and the dialog that it belongs to, until the service
 * says what came of it: done, refused, or proposed to others, which changed nothing.
 * Anything else is unknown: it is asked again by the user, and automatically when the connection is back.
 */
export function useKeyedMutation<V, R>(options: KeyedOptions<V, R>): KeyedMutation<V, R> {
  const { kept, slot } = useSlot(options.scope, options.title);
  return useKeyed(slot, kept, options);
}

interface InFlight<V> {
  request: V;
  /** Ends the mark of the slot. */
  arrived: () => void;
}

/** The same on a slot that keeps what is typed too; `onSpent` gives that up, once it is done or proposed. */
export function useKeyed<V, R>(
  slot: Slot,
  kept: ReturnType<Slot['get']>,
  { title, topics = [], send, onDone, onRefused, onProposed, onUnknown, onSpent }: Omit<KeyedOptions<V, R>, 'scope'> & { onSpent?: () => void },
): KeyedMutation<V, R> {
  const queries = useQueryClient();
  const toasts = useToasts();
  const isSending = useSyncExternalStore(drafts.subscribe, slot.isSending);
  const mutation = useMutation({
    mutationFn: ({ request }: InFlight<V>) => sendOnce(slot, request, (key) => send(request, key)),
    onSuccess: (reply, { request }) => {
      onSpent?.();
      return onDone(reply, request);
    },
    onError: (error, { request }) => {
      const approval = proposalOf(error);
      if (approval !== undefined) {
        onSpent?.();
        const tell = onProposed ?? toasts.proposed;
        return tell(approval, request);
      }
      if (!isUnknown(error)) return onRefused?.(error, request);
      if (send.length > 1) slot.settleLater(again);
      return onUnknown?.(error);
    },
    onSettled: (_reply, _error, { arrived }) => {
      arrived();
      if (slot.get()?.sent === undefined) toasts.settled(title);
      topics.forEach((topic) => void queries.invalidateQueries({ queryKey: [topic] }));
    },
  });
  const sent = kept?.sent as V | undefined;
  const { isPending, isSuccess, error } = mutation;
  const proposal = proposalOf(error);
  const start = (request: V) => mutation.mutate({ request, arrived: slot.sending() });
  const again = () => {
    const open = slot.get()?.sent as V | undefined;
    if (!slot.isSending() && open !== undefined) start(open);
  };
  const settled = isSuccess ? 'done' : error === null ? 'idle' : proposal === undefined ? 'refused' : 'proposed';
  return {
    outcome: isPending || isSending ? 'sending' : sent !== undefined ? 'unknown' : settled,
    run: (request) => {
      if (slot.isSending()) return;
      if (slot.get()?.sent === undefined) start(request);
      else onUnknown?.();
    },
    again,
    key: kept?.key,
    sent,
    proposal,
    error: proposal === undefined ? error : null,
    reply: mutation.data,
    reset: mutation.reset,
    giveUp: () => {
      if (slot.isSending()) return;
      mutation.reset();
      slot.giveUp();
    },
  };
}
