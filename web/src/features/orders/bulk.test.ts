import { expect, test, vi } from 'vitest';
import { ApiProblem } from '@/api';
import { failedIds, planOf, runBulk } from './bulk';
import type { Order, OrderVerdict } from './queries';

const order = (id: number, allowedTransitions: Order['allowedTransitions'] = ['ship']) => ({ id, allowedTransitions }) as Order;
const orders = Array.from({ length: 250 }, (_, i) => order(i + 1));
const done = (ids: number[]): Promise<OrderVerdict[]> => Promise.resolve(ids.map((id) => ({ id, verdict: 'done' })));
const tally = (verdicts: { verdict: string }[]) =>
  Object.fromEntries(['done', 'conflict', 'unknown', 'notSent'].map((name) => [name, verdicts.filter(({ verdict }) => verdict === name).length]));

test('a preview tells what the action is allowed for', () => {
  const { eligible, skipped } = planOf([order(1), order(2, ['pay', 'cancel'])], 'ship');
  expect(eligible.map(({ id }) => id)).toEqual([1]);
  expect(skipped.map(({ id }) => id)).toEqual([2]);
});

test('orders go out by the hundred and each has its verdict', async () => {
  const send = vi.fn(done);
  const progress: number[] = [];
  const { verdicts, error } = await runBulk({ orders, send, onVerdicts: (rows) => progress.push(rows.length), signal: new AbortController().signal });
  expect(send.mock.calls.map(([ids]) => ids.length)).toEqual([100, 100, 50]);
  expect(progress).toEqual([100, 200, 250]);
  expect(error).toBeUndefined();
  expect(failedIds(verdicts).size).toBe(0);
});

test('a stop lets the chunk under way end and sends no other', async () => {
  const stop = new AbortController();
  const { verdicts } = await runBulk({
    orders,
    send: (ids) => {
      stop.abort();
      return done(ids);
    },
    onVerdicts: () => undefined,
    signal: stop.signal,
  });
  expect(tally(verdicts)).toEqual({ done: 100, conflict: 0, unknown: 0, notSent: 150 });
});

test('a batch that breaks in its middle keeps the verdicts so far and claims nothing of the rest', async () => {
  const items = [
    { id: 1, verdict: 'done' },
    { id: 2, verdict: 'conflict', detail: 'It is shipped.' },
  ];
  const members = { code: 'outcome_unknown' as const, title: '', detail: '', status: 503, requestId: 'r' };
  const problem = new ApiProblem(members, JSON.stringify({ ...members, items }));
  const { verdicts, error } = await runBulk({ orders, send: () => Promise.reject(problem), onVerdicts: () => undefined, signal: new AbortController().signal });
  expect(error).toBe(problem);
  expect(verdicts[2]?.verdict).toBe('unknown');
  expect(tally(verdicts)).toEqual({ done: 1, conflict: 1, unknown: 1, notSent: 247 });
});

test('without an answer all of the chunk is open, and what was refused as a whole was not done', async () => {
  const run = (code: 'no_connection' | 'validation_failed') =>
    runBulk({
      orders,
      send: () => Promise.reject(new ApiProblem({ code, title: '', detail: '', status: 0, requestId: '' })),
      onVerdicts: () => undefined,
      signal: new AbortController().signal,
    });
  expect(tally((await run('no_connection')).verdicts)).toEqual({ done: 0, conflict: 0, unknown: 100, notSent: 150 });
  expect(tally((await run('validation_failed')).verdicts).notSent).toBe(250);
});
