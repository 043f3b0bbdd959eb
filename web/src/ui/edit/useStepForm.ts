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
  /** As it was when the dialog opened. Its version guards the write, unless the dialog said that others went on. */
  record: R;
  /** As it was last read. */
  now: R;
  /** Where it is kept in the cache. */
  queryKey: QueryKey;
  action: string;
  /** Path of the record: "orders/17". */
  resource: string;
  title: string;
  /** What the step changes beside it, by the topics of queries. */
  topics: readonly string[];
  /** What the step brings, with nothing typed. */
  empty: I;
  isComplete?: (input: I) => boolean;
  /** Takes the step with the record as it was at a tag. */
  send: (etag: string, input: I, key: string) => Promise<R>;
  onDone: (after: R) => void;
  onClose: () => void;
  /** Somebody else was first. */
  onLost: (winner: Winner<R>) => void;
}

export interface StepForm<I extends object> {
  keyed: KeyedForm<I & { etag?: string }>;
  /** Others went on while the dialog was open; one's own step, which is announced before its reply arrives, is none. */
  moved: boolean;
  /** The step is no longer possible. */
  late: boolean;
}

/**
 * The dialog of one step of a record with a status. What is typed, and the key, are kept
 * under the step until it is answered; who comes second is told who was first, and nothing
 * shows as done before the service says so.
 */
export function useStepForm<R extends Stepped, I extends object>(options: Options<R, I>): StepForm<I> {
  const { record, now, queryKey, action, resource, title, topics, empty, isComplete, send, onDone, onClose, onLost } = options;
  const queries = useQueryClient();
  const hasMoved = now.version > record.version;
  const isPossible = now.allowedTransitions.includes(action);
  const settle = (settled: R) => {
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
      settle(after);
    },
    onRefused: (error) => {
      const winner = winnerOf<R>(error);
      if (winner === undefined) return;
      settle(winner.current);
      onLost(winner);
    },
  });
  const moved = hasMoved && !keyed.isFixed;
  return { keyed, moved, late: moved && !isPossible };
}
