import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { winnerOf, type Winner } from '@/api';
import { useKeyedForm, type KeyedForm } from './useKeyedForm';

/** A record with a status. */
export interface Stepped {
  version: number;
  etag: string;
  allowedTransitions: readonly string[];
}

interface Options<R extends Stepped, I extends object> {
  /** The record when the dialog opened. The write is guarded by its version, or by a newer one that the dialog has displayed. */
  record: R;
  /** The latest version of the record. */
  now: R;
  /** The key of the record in the query cache. */
  queryKey: QueryKey;
  action: string;
  /** The path of the record, such as "orders/17". */
  resource: string;
  title: string;
  /** Topics of the queries that the step also changes. */
  topics: readonly string[];
  /** The empty input. */
  empty: I;
  isComplete?: (input: I) => boolean;
  /** Executes the step with If-Match. */
  send: (etag: string, input: I, key: string) => Promise<R>;
  onDone: (after: R) => void;
  onClose: () => void;
  /** Whether the record of a rejection is this one; absent if it always is. A step of two records can be rejected by the other. */
  isRecord?: (current: object) => boolean;
  /** Another user executed a step first. */
  onLost: (winner: Winner<R>) => void;
}

export interface StepForm<I extends object> {
  keyed: KeyedForm<I & { etag?: string }>;
  /**
   * Another user changed the record while the dialog was open. The change by a pending step of this
   * dialog does not count; its event can arrive before its response.
   */
  moved: boolean;
  /** The step is no longer allowed. */
  late: boolean;
}

/**
 * The dialog of one step of a record with a status. Its input and key are stored under the step
 * until a response. If another user was first, the dialog reports the winner; no result is shown
 * before the response.
 */
export function useStepForm<R extends Stepped, I extends object>(options: Options<R, I>): StepForm<I> {
  const { record, now, queryKey, action, resource, title, topics, empty, isComplete, send, onDone, onClose, isRecord, onLost } = options;
  const queries = useQueryClient();
  const hasMoved = now.version > record.version;
  const isPossible = now.allowedTransitions.includes(action);
  const applyRecord = (settled: R) => {
    queries.setQueryData(queryKey, settled);
    onClose();
  };
  const keyed = useKeyedForm<I & { etag?: string }, R>({
    scope: `${resource}/steps/${action}`,
    title,
    topics,
    open: () => empty,
    reopen: (typed) => ({ ...empty, ...typed }),
    isComplete,
    seal: (form) => ({ ...form, etag: (hasMoved && isPossible ? now : record).etag }),
    send: ({ etag = '', ...input }, key) => send(etag, input as unknown as I, key),
    onDone: (after) => {
      onDone(after);
      applyRecord(after);
    },
    onRejected: (error) => {
      const winner = winnerOf<R>(error);
      if (winner === undefined || isRecord?.(winner.current) === false) return;
      applyRecord(winner.current);
      onLost(winner);
    },
  });
  const moved = hasMoved && !keyed.isFixed;
  return { keyed, moved, late: moved && !isPossible };
}
