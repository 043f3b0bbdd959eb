import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isUnknown, proposalOf, type Approval } from '@/api';
import { drafts } from '@/browser/drafts';
import { useToasts } from '../feedback/toasts';
import { sendOnce, useSlot, type Slot } from './slot';

export interface KeyedOptions<V, R> {
  /** The name under which the key is stored, such as "orders/17/v2/pay". */
  scope: string;
  /** The name in the list of drafts. */
  title: string;
  /** Topics of the queries that are refetched after any outcome. */
  topics?: readonly string[];
  /** Sends the request. A function without the `key` parameter is only retried by the user, since a retry may apply the write twice. */
  send: (request: V, key: string) => Promise<R>;
  onDone: (reply: R, request: V) => unknown;
  /** The service rejected the request. Nothing was changed, and the key is not used again. */
  onRejected?: (error: Error, request: V) => unknown;
  /** The request was not applied and waits for votes. The default is a toast. */
  onProposed?: (approval: Approval, request: V) => unknown;
  /** No response arrived. Without an error: a new request has to wait for the pending one. */
  onUnknown?: (error?: Error) => unknown;
}

export type Outcome = 'idle' | 'sending' | 'done' | 'proposed' | 'rejected' | 'unknown';

export interface KeyedMutation<V, R> {
  /** While the outcome is unknown, only the same request can be sent. */
  outcome: Outcome;
  /** Sends a request; ignored while another one is in flight or has an unknown outcome. */
  run: (request: V) => void;
  /** Retries the pending request under its key. */
  retry: () => void;
  /** The idempotency key, once there is one. */
  key: string | undefined;
  /** The pending request: sent, without a response. */
  sent: V | undefined;
  /** The approval, if the request was proposed. */
  proposal: Approval | undefined;
  /** The rejection, or the reason for a missing response. */
  error: Error | null;
  /** The response, once the request is done. */
  reply: R | undefined;
  /** Clears the outcome of the last attempt. */
  reset: () => void;
  /** Abandons the pending request; does nothing while it is in flight. */
  abandon: () => void;
}

/**
 * Sends a single write and reports its outcome. The key is created before the request is first
 * sent. It is stored, also after a reload and without the dialog, until the service reports an
 * outcome: done, rejected, or proposed, which changed nothing. After any other result the outcome
 * is unknown: the user can retry, and a reconnect retries automatically. Record forms and bulk
 * runs, which send several requests, store their keys in the same slots.
 */
export function useKeyedMutation<V, R>(options: KeyedOptions<V, R>): KeyedMutation<V, R> {
  const { stored, slot } = useSlot(options.scope, options.title);
  return useKeyed(slot, stored, options);
}

interface InFlight<V> {
  request: V;
  /** Clears the in-flight mark of the slot. */
  unmark: () => void;
}

/** useKeyedMutation with the slot of a form. `onSpent` clears the form once the request is done or proposed. */
export function useKeyed<V, R>(
  slot: Slot,
  stored: ReturnType<Slot['get']>,
  { title, topics = [], send, onDone, onRejected, onProposed, onUnknown, onSpent }: Omit<KeyedOptions<V, R>, 'scope'> & { onSpent?: () => void },
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
        const report = onProposed ?? toasts.proposed;
        return report(approval, request);
      }
      if (!isUnknown(error)) return onRejected?.(error, request);
      if (send.length > 1) slot.retryOnReconnect(retry);
      return onUnknown?.(error);
    },
    onSettled: (_reply, _error, { unmark: arrived }) => {
      arrived();
      if (slot.get()?.sent === undefined) toasts.settled(title);
      topics.forEach((topic) => void queries.invalidateQueries({ queryKey: [topic] }));
    },
  });
  const sent = stored?.sent as V | undefined;
  const { isPending, isSuccess, error } = mutation;
  const proposal = proposalOf(error);
  const start = (request: V) => mutation.mutate({ request, unmark: slot.sending() });
  const retry = () => {
    const open = slot.get()?.sent as V | undefined;
    if (!slot.isSending() && open !== undefined) start(open);
  };
  const settled = isSuccess ? 'done' : error === null ? 'idle' : proposal === undefined ? 'rejected' : 'proposed';
  return {
    outcome: isPending || isSending ? 'sending' : sent !== undefined ? 'unknown' : settled,
    run: (request) => {
      if (slot.isSending()) return;
      if (slot.get()?.sent === undefined) start(request);
      else onUnknown?.();
    },
    retry,
    key: stored?.key,
    sent,
    proposal,
    error: proposal === undefined ? error : null,
    reply: mutation.data,
    reset: mutation.reset,
    abandon: () => {
      if (slot.isSending()) return;
      mutation.reset();
      slot.abandon();
    },
  };
}
