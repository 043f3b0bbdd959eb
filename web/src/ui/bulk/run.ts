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
interface Said {
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
export type Verdict = 'done' | 'proposed' | 'rejected' | 'gone' | 'changed' | 'stopped' | 'unknown' | 'notSent';

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
  /** What the service made for it, when it was done: a code, the number of a movement. */
  made?: string;
}

/** A run as it is kept: with the same rows in the same requests, each under the same key. */
export interface Job<Input> {
  input: Input;
  items: readonly Item[];
  key: string;
  /** What is known so far, in the order of the rows. */
  results: readonly Result[];
  /** Requests that were answered; those after them may have been sent. */
  answered: number;
  /** The next requests were sent: one, or as many as go out at once. */
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
  /** Requests that are under way at once. */
  atOnce?: number;
  /** Sends one request; a verdict for each of its rows. */
  send: (items: readonly Item[], input: Input, key: string) => Promise<readonly Result[]>;
  /** What a failed request tells of its rows all the same. */
  told: (error: ApiProblem, items: readonly Item[]) => readonly Result[] | undefined;
  /** Called before requests are sent, with all answers so far: what is kept survives a crash at any point. */
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

/** What came of one request. */
interface Answer {
  results: readonly Result[];
  error?: unknown;
  /** It is to be asked for again. */
  isOpen: boolean;
  /** What is wrong with it is wrong with the next one too. */
  isLast: boolean;
}

/**
 * Sends request after request until all rows are through, it is stopped, or one is not
 * answered. Every row has a verdict in the end; the job tells where to go on. Of
 * requests that were under way at once, those after the first that was not answered are
 * asked for again with it, each under its own key.
 */
export async function runJob<Input>({ job, size, atOnce = 1, send, told, keep, signal }: Run<Input>): Promise<Ended<Input>> {
  const requests = requestsOf(job.items, size);
  let now = job;
  while (now.answered < requests.length) {
    if (signal.aborted) return { job: now, isOpen: false };
    const wasSent = now.isSent;
    const from = now.answered;
    now = { ...now, isSent: true };
    keep(now);
    const ask = async (items: readonly Item[], n: number): Promise<Answer> => {
      try {
        return { results: inOrder(items, await send(items, job.input, `${job.key}-${from + n}`), 'notSent'), isOpen: false, isLast: false };
      } catch (error) {
        if (error instanceof ApiProblem && wasSent) error.isInDoubt = true;
        return { ...answerOf(error, items, told, size), error };
      }
    };
    const answers = await Promise.all(requests.slice(from, from + atOnce).map(ask));
    const end = answers.find(({ isOpen, isLast }) => isOpen || isLast);
    const open = answers.findIndex(({ isOpen }) => isOpen);
    const results = [...now.results, ...answers.flatMap((answer) => answer.results)];
    if (open >= 0) return { job: { ...now, results, answered: from + open }, error: answers[open]?.error, isOpen: true };
    now = { ...now, results, answered: from + answers.length, isSent: false };
    if (end !== undefined) return { job: now, error: end.error, isOpen: false };
  }
  return { job: now, isOpen: false };
}

function answerOf<Input>(error: unknown, items: readonly Item[], told: Run<Input>['told'], size: number): Answer {
  const proposal = proposalOf(error);
  const isOpen = isUnknown(error) || (isProblem(error) && error.isTransient);
  const known =
    proposal !== undefined
      ? items.map(({ id }): Result => ({ id, verdict: 'proposed', proposal }))
      : error instanceof ApiProblem
        ? told(error, items)
        : undefined;
  // What is known of it is shown, and asked for again with the rest.
  if (isOpen) return { results: inOrder(items, known ?? [], isUnknown(error) ? 'unknown' : 'notSent'), isOpen, isLast: false };
  const results = known ?? items.map(({ id }): Result => ({ id, verdict: 'rejected', said: saidOf(error) }));
  return { results: inOrder(items, results, 'notSent'), isOpen, isLast: known === undefined && size > 1 };
}

/** A result for each row; one that a request which was not answered to its end did not come to has none of its own. */
function inOrder(items: readonly Item[], results: readonly Result[], otherwise: Verdict): Result[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return items.map(({ id }) => byId.get(id) ?? { id, verdict: otherwise });
}

const saidOf = (error: unknown): Said =>
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
