import { expect, test, vi } from 'vitest';
import { ApiProblem, type ProblemCode } from '@/api';
import { isLeft, reopened, requestsOf, resultsOf, runJob, type Item, type Job, type Result } from './run';

const item = (id: number, own?: string): Item => ({ id: String(id), label: `no ${id}`, values: own });
const items = Array.from({ length: 250 }, (_, i) => item(i + 1));
const begin = (over: Partial<Job<object>> = {}): Job<object> => ({ input: {}, items, key: 'k', results: [], answered: 0, isSent: false, ...over });
const done = (some: readonly Item[]): Promise<Result[]> => Promise.resolve(some.map(({ id }) => ({ id, verdict: 'done' })));
const problem = (code: ProblemCode, status = 400) => new ApiProblem({ code, title: '', detail: 'said', status, requestId: '' });
const tally = (job: Job<object>) => {
  const counts: Record<string, number> = {};
  for (const { verdict } of resultsOf(job)) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
};

function run(
  job: Job<object>,
  send: (some: readonly Item[], key: string, kept: readonly Job<object>[]) => Promise<readonly Result[]>,
  over: { size?: number; atOnce?: number; signal?: AbortSignal } = {},
) {
  const kept: Job<object>[] = [];
  const ended = runJob({
    job,
    size: over.size ?? 100,
    concurrency: over.atOnce,
    send: (some, _, key) => send(some, key, kept),
    resultsOnError: () => undefined,
    store: (now) => kept.push(now),
    signal: over.signal ?? new AbortController().signal,
  });
  return { ended, kept };
}

test('each request of 100 rows has its own key', async () => {
  const send = vi.fn(done);
  const keys: string[] = [];
  const { job, isOpen, error } = await run(begin(), (some, key) => {
    keys.push(key);
    return send(some);
  }).ended;
  expect(send.mock.calls.map(([some]) => some.length)).toEqual([100, 100, 50]);
  expect(keys).toEqual(['k-0', 'k-1', 'k-2']);
  expect([isOpen, error]).toEqual([false, undefined]);
  expect(tally(job)).toEqual({ done: 250 });
});

test('a request is stored before it is sent', async () => {
  const seen: (Job<object> | undefined)[] = [];
  const { ended } = run(begin(), (_, __, kept) => {
    seen.push(kept.at(-1));
    return Promise.reject(problem('bad_gateway', 502));
  });
  await ended;
  expect(seen).toMatchObject([{ isSent: true, key: 'k' }]);
});

test('a lost request stops the run and resumes under its keys', async () => {
  const keys: string[] = [];
  const first = await run(begin(), (some, key) => {
    keys.push(key);
    return key === 'k-1' ? Promise.reject(problem('bad_gateway', 502)) : done(some);
  }).ended;
  expect(first.isOpen).toBe(true);
  expect(tally(first.job)).toEqual({ done: 100, unknown: 100, notSent: 50 });

  const second = await run(reopened(first.job, 100), (some, key) => {
    keys.push(key);
    return done(some);
  }).ended;
  expect(keys).toEqual(['k-0', 'k-1', 'k-1', 'k-2']);
  expect(tally(second.job)).toEqual({ done: 250 });
});

test('a rejected retry does not settle the first attempt', async () => {
  const sent = begin({ isSent: true });
  const { job, isOpen } = await run(sent, () => Promise.reject(problem('unauthenticated', 401))).ended;
  expect(isOpen).toBe(true);
  expect(tally(job)).toEqual({ unknown: 100, notSent: 150 });
});

test('an unavailable service leaves the run resumable', async () => {
  const { job, isOpen } = await run(begin(), () => Promise.reject(problem('unavailable', 503))).ended;
  expect(isOpen).toBe(true);
  expect(tally(job)).toEqual({ notSent: 250 });
});

test('a rejected request of many stops the run, a single one does not', async () => {
  const many = await run(begin(), () => Promise.reject(problem('validation_failed', 422))).ended;
  expect(tally(many.job)).toEqual({ rejected: 100, notSent: 150 });
  const single = await run(
    begin({ items: items.slice(0, 3) }),
    ([one]) => (one?.id === '2' ? Promise.reject(problem('forbidden', 403)) : done(one === undefined ? [] : [one])),
    { size: 1 },
  ).ended;
  expect(tally(single.job)).toEqual({ done: 2, rejected: 1 });
  expect(resultsOf(single.job).filter(isLeft)).toMatchObject([{ id: '2', said: { code: 'forbidden' } }]);
});

test('stopping completes the request in flight only', async () => {
  const stop = new AbortController();
  const { job, isOpen } = await run(
    begin(),
    (some) => {
      stop.abort();
      return done(some);
    },
    { signal: stop.signal },
  ).ended;
  expect(isOpen).toBe(false);
  expect(tally(job)).toEqual({ done: 100, notSent: 150 });
});

test('requests contain adjacent rows with equal values', () => {
  const own = [item(1, 'a'), item(2, 'a'), item(3, 'b'), item(4, 'a')];
  expect(requestsOf(own, 100).map((request) => request.map(({ id }) => id))).toEqual([['1', '2'], ['3'], ['4']]);
  expect(requestsOf(own, Infinity)).toHaveLength(1);
});

test('proposed rows are neither done nor left', async () => {
  const proposed = new ApiProblem({ code: 'proposed', title: '', detail: '', status: 202, requestId: '' }, '{"id":12,"required":1,"votes":[]}');
  const { job, isOpen, error } = await run(begin(), () => Promise.reject(proposed), { size: Infinity }).ended;
  expect([isOpen, error]).toEqual([false, undefined]);
  expect(tally(job)).toEqual({ proposed: 250 });
  expect(resultsOf(job).some(isLeft)).toBe(false);
  expect(resultsOf(job)[0]).toMatchObject({ proposal: { id: 12 } });
});

test('concurrent requests after a lost one are retried with it', async () => {
  const keys: string[] = [];
  let [now, most] = [0, 0];
  const send = async (some: readonly Item[], key: string, lost?: string) => {
    keys.push(key);
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    if (key === lost) throw problem('bad_gateway', 502);
    return done(some);
  };
  const over = { size: 1, atOnce: 4 };
  const first = await run(begin({ items: items.slice(0, 10) }), (some, key) => send(some, key, 'k-5'), over).ended;
  expect(most).toBe(4);
  expect(first.isOpen).toBe(true);
  expect(tally(first.job)).toEqual({ done: 7, unknown: 1, notSent: 2 });

  keys.length = 0;
  const second = await run(reopened(first.job, 1), (some, key) => send(some, key), over).ended;
  expect(keys).toEqual(['k-5', 'k-6', 'k-7', 'k-8', 'k-9']);
  expect(tally(second.job)).toEqual({ done: 10 });
});
