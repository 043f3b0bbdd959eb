import { ApiProblem, isProblem, isUnknown, proposalOf, type Approval } from '@/api';

/** A row of a run. It contains all data to resume the run after a reload. */
export interface Item {
  id: string;
  /** The displayed name. */
  label: string;
  /** The row's values in the request, as JSON. All rows of one request have equal values. */
  values?: string;
}

/**
 * The service's message about a row or a request: a code, a sentence in English, and the members of
 * the code.
 */
interface RunMessage {
  code?: string;
  text: string;
}

/**
 * The outcome of a row.
 *
 * - proposed: the service created an approval, which waits for votes, instead of changing the row.
 * - gone: the row was deleted, so nothing is left to do.
 * - changed: another user changed the row first.
 * - stopped: the row has no conflict, but another row of the same all-or-nothing request has one.
 * - unknown: no response arrived. notSent: the run ended before the row.
 */
export type Verdict = 'done' | 'proposed' | 'rejected' | 'gone' | 'changed' | 'stopped' | 'unknown' | 'notSent';

export interface Result<Row = unknown> {
  id: string;
  verdict: Verdict;
  said?: RunMessage;
  /** The approval, if the row was proposed. */
  proposal?: Approval;
  /** The current row, if it was changed. */
  current?: Row;
  /** The row's etag after the run, if it was done and has one. */
  etag?: string;
  /** The id of the created record, such as a code or the number of a movement. */
  made?: string;
}

/** A stored run. A resumed run sends the same rows in the same requests, each under the same key. */
export interface Job<Input> {
  input: Input;
  items: readonly Item[];
  key: string;
  /** The results so far, in the order of the rows. */
  results: readonly Result[];
  /** The number of requests with a response. Later requests may have been sent too. */
  answered: number;
  /** Whether the next request was sent, or with concurrency the next group of requests. */
  isSent: boolean;
  /** The run undoes another run. */
  isUndo?: boolean;
}

/** Returns a run that has sent nothing yet. */
export const newJob = <Input>(input: Input, items: readonly Item[], key: string): Job<Input> => ({
  input,
  items,
  key,
  results: [],
  answered: 0,
  isSent: false,
});

interface Run<Input> {
  job: Job<Input>;
  /** The maximum number of rows per request. */
  size: number;
  /** The number of concurrent requests. */
  concurrency?: number;
  /** Sends one request and returns a result for each of its rows. */
  send: (items: readonly Item[], input: Input, key: string) => Promise<readonly Result[]>;
  /** Returns the results of single rows that the error response contains. */
  resultsOnError: (error: ApiProblem, items: readonly Item[]) => readonly Result[] | undefined;
  /** Stores the job with all results so far, before requests are sent, so that a crash loses none. */
  store: (job: Job<Input>) => void;
  signal: AbortSignal;
}

/** Groups adjacent rows with equal values into requests of at most `size` rows. An infinite size results in one request with all rows. */
export function requestsOf(items: readonly Item[], size: number): (readonly Item[])[] {
  if (size === Infinity) return [items];
  const requests: Item[][] = [];
  for (const item of items) {
    const last = requests.at(-1);
    if (last !== undefined && last.length < size && last[0]?.values === item.values) last.push(item);
    else requests.push([item]);
  }
  return requests;
}

export interface Ended<Input> {
  job: Job<Input>;
  /** The reason for an interruption; undefined for a run that ended or was stopped. */
  error?: unknown;
  /** The run can be resumed at the interruption, under the same keys. */
  isOpen: boolean;
}

/** The outcome of one request. */
interface RequestOutcome {
  results: readonly Result[];
  error?: unknown;
  /** The request has to be retried. */
  isOpen: boolean;
  /** The next request would fail for the same reason. */
  isLast: boolean;
}

/**
 * Sends the requests in order until all are sent, the user stops the run, or a response is missing.
 * The returned job contains the results so far and the position from which the run resumes.
 * Concurrent requests after the first one without a response are sent again with it, each under its
 * key.
 */
export async function runJob<Input>({ job, size, concurrency: concurrency = 1, send, resultsOnError, store, signal }: Run<Input>): Promise<Ended<Input>> {
  const requests = requestsOf(job.items, size);
  let now = job;
  while (now.answered < requests.length) {
    if (signal.aborted) return { job: now, isOpen: false };
    const wasSent = now.isSent;
    const from = now.answered;
    now = { ...now, isSent: true };
    store(now);
    const ask = async (items: readonly Item[], n: number): Promise<RequestOutcome> => {
      try {
        return { results: inOrder(items, await send(items, job.input, `${job.key}-${from + n}`), 'notSent'), isOpen: false, isLast: false };
      } catch (error) {
        if (error instanceof ApiProblem && wasSent) error.isInDoubt = true;
        return { ...outcomeOf(error, items, resultsOnError, size), error };
      }
    };
    const answers = await Promise.all(requests.slice(from, from + concurrency).map(ask));
    const end = answers.find(({ isOpen, isLast }) => isOpen || isLast);
    const open = answers.findIndex(({ isOpen }) => isOpen);
    const results = [...now.results, ...answers.flatMap((answer) => answer.results)];
    if (open >= 0) return { job: { ...now, results, answered: from + open }, error: answers[open]?.error, isOpen: true };
    now = { ...now, results, answered: from + answers.length, isSent: false };
    if (end !== undefined) return { job: now, error: end.error, isOpen: false };
  }
  return { job: now, isOpen: false };
}

function outcomeOf<Input>(error: unknown, items: readonly Item[], resultsOnError: Run<Input>['resultsOnError'], size: number): RequestOutcome {
  const proposal = proposalOf(error);
  const isOpen = isUnknown(error) || (isProblem(error) && error.isTransient);
  const rowResults =
    proposal !== undefined
      ? items.map(({ id }): Result => ({ id, verdict: 'proposed', proposal }))
      : error instanceof ApiProblem
        ? resultsOnError(error, items)
        : undefined;
  // Results of a retryable request are displayed, and the request is retried with the rest.
  if (isOpen) return { results: inOrder(items, rowResults ?? [], isUnknown(error) ? 'unknown' : 'notSent'), isOpen, isLast: false };
  const results = rowResults ?? items.map(({ id }): Result => ({ id, verdict: 'rejected', said: messageOf(error) }));
  return { results: inOrder(items, results, 'notSent'), isOpen, isLast: rowResults === undefined && size > 1 };
}

/** Returns a result for each row; `otherwise` is the verdict of rows that the request did not process. */
function inOrder(items: readonly Item[], results: readonly Result[], otherwise: Verdict): Result[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return items.map(({ id }) => byId.get(id) ?? { id, verdict: otherwise });
}

const messageOf = (error: unknown): RunMessage =>
  isProblem(error) ? { code: error.code, text: error.message } : { text: error instanceof Error ? error.message : String(error) };

/** The result of each row of a job, including rows that were not processed. */
export function resultsOf<Input>({ items, results }: Job<Input>): (Result & { item: Item })[] {
  return items.map((item, i) => ({ ...(results[i] ?? { id: item.id, verdict: 'notSent' as const }), item }));
}

/** The job to resume: requests without a response are sent again. */
export function reopened<Input>(job: Job<Input>, size: number): Job<Input> {
  const answered = requestsOf(job.items, size).slice(0, job.answered).flat().length;
  return { ...job, results: job.results.slice(0, answered) };
}

/** Whether a retry of the row makes sense. */
export const isLeft = ({ verdict }: Result): boolean => verdict !== 'done' && verdict !== 'proposed' && verdict !== 'gone';
