import { ApiProblem, isProblem, isUnknown, proposalOf, type Approval } from '@/api';

/** A row as a run needs it: enough to go on after a reload. */
export interface Item {
  id: string;
  /** What people call it. */
  label: string;
  /** What is its own of the request, as JSON; rows of one request share it. */
  own?: string;
}

/** What the service says of a row or a request: a code, a sentence in English, and what the code carries. */
export interface Said {
  code?: string;
  text: string;
}

/**
 * What became of a row.
 *
 * - proposed: its request changed nothing, and waits for the votes of others.
 * - gone: there is no such row any more, so that nothing is left to do.
 * - changed: somebody else was faster with it.
 * - stopped: nothing stood in its way, but its request is all or nothing.
 * - unknown: no word of the service came back. notSent: the run ended before it.
 */
export type Verdict = 'done' | 'proposed' | 'refused' | 'gone' | 'changed' | 'stopped' | 'unknown' | 'notSent';

export interface Result<Row = unknown> {
  id: string;
  verdict: Verdict;
  said?: Said;
  /** What waits for votes, when it was proposed. */
  proposal?: Approval;
  /** How others left it, when it was changed. */
  current?: Row;
  /** The tag that the run left it with, when it was done and has one. */
  etag?: string;
}

/** A run as it is kept: with the same rows in the same requests, each under the same key. */
export interface Job<Input> {
  input: Input;
  items: readonly Item[];
  key: string;
  /** What is known so far, in the order of the rows. */
  results: readonly Result[];
  /** Requests that were answered; the next one may have been sent. */
  answered: number;
  /** The next request was sent. */
  isSent: boolean;
  /** It takes another run back. */
  isUndo?: boolean;
}

/** A run that has not begun. */
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
  /** Rows of one request. */
  size: number;
  /** Sends one request; a verdict for each of its rows. */
  send: (items: readonly Item[], input: Input, key: string) => Promise<readonly Result[]>;
  /** What a failed request tells of its rows all the same. */
  told: (error: ApiProblem, items: readonly Item[]) => readonly Result[] | undefined;
  /** Called before each request is sent and after each answer: what is kept survives a crash at any point. */
  keep: (job: Job<Input>) => void;
  signal: AbortSignal;
}

/** The rows of each request: those that stand beside each other and share what is their own; all of them where a request takes any number. */
export function requestsOf(items: readonly Item[], size: number): (readonly Item[])[] {
  if (size === Infinity) return [items];
  const requests: Item[][] = [];
  for (const item of items) {
    const last = requests.at(-1);
    if (last !== undefined && last.length < size && last[0]?.own === item.own) last.push(item);
    else requests.push([item]);
  }
  return requests;
}

export interface Ended<Input> {
  job: Job<Input>;
  /** Why it broke off; undefined when it came to its end or was stopped. */
  error?: unknown;
  /** It can be gone on with where it broke off, under the same keys. */
  isOpen: boolean;
}

/**
 * Sends request after request until all rows are through, it is stopped, or one is not
 * answered. Every row has a verdict in the end; the job tells where to go on.
 */
export async function runJob<Input>({ job, size, send, told, keep, signal }: Run<Input>): Promise<Ended<Input>> {
  const requests = requestsOf(job.items, size);
  let now = job;
  for (let i = job.answered; i < requests.length; i++) {
    if (signal.aborted) return { job: now, isOpen: false };
    const items = requests[i] ?? [];
    const wasSent = now.isSent;
    now = { ...now, isSent: true };
    keep(now);
    let results: readonly Result[];
    try {
      results = await send(items, now.input, `${now.key}-${i}`);
    } catch (error) {
      if (error instanceof ApiProblem && wasSent) error.isInDoubt = true;
      const proposal = proposalOf(error);
      const isOpen = isUnknown(error) || (isProblem(error) && error.isTransient);
      const known =
        proposal !== undefined
          ? items.map(({ id }): Result => ({ id, verdict: 'proposed', proposal }))
          : error instanceof ApiProblem
            ? told(error, items)
            : undefined;
      if (isOpen) {
        // What is known of it is shown, and asked for again with the rest.
        return { job: { ...now, results: [...now.results, ...inOrder(items, known ?? [], isUnknown(error) ? 'unknown' : 'notSent')] }, error, isOpen };
      }
      results = known ?? items.map(({ id }) => ({ id, verdict: 'refused', said: saidOf(error) }));
      // What is wrong with a request of many rows is wrong with the next one too.
      if (known === undefined && size > 1) {
        return { job: { ...now, results: [...now.results, ...results], answered: i + 1, isSent: false }, error, isOpen };
      }
    }
    now = { ...now, results: [...now.results, ...inOrder(items, results, 'notSent')], answered: i + 1, isSent: false };
    keep(now);
  }
  return { job: now, isOpen: false };
}

/** A result for each row; one that a request which was not answered to its end did not come to has none of its own. */
function inOrder(items: readonly Item[], results: readonly Result[], otherwise: Verdict): Result[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return items.map(({ id }) => byId.get(id) ?? { id, verdict: otherwise });
}

export const saidOf = (error: unknown): Said =>
  isProblem(error) ? { code: error.code, text: error.message } : { text: error instanceof Error ? error.message : String(error) };

/** What is known of each row of a job, those included that were not come to. */
export function resultsOf<Input>({ items, results }: Job<Input>): (Result & { item: Item })[] {
  return items.map((item, i) => ({ ...(results[i] ?? { id: item.id, verdict: 'notSent' as const }), item }));
}

/** The job as it is gone on with: what was not answered is asked for again. */
export function reopened<Input>(job: Job<Input>, size: number): Job<Input> {
  const answered = requestsOf(job.items, size).slice(0, job.answered).flat().length;
  return { ...job, results: job.results.slice(0, answered) };
}

/** Rows that are worth a second try. */
export const isLeft = ({ verdict }: Result): boolean => verdict !== 'done' && verdict !== 'proposed' && verdict !== 'gone';
