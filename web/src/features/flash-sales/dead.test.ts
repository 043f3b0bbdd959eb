import { expect, test } from 'vitest';
import { ApiProblem, type ProblemCode } from '@/api';
import { runDecisions, undecided } from './dead';
import type { DeadLetter } from './queries';

const letter = (messageId: string): DeadLetter => ({
  messageId,
  userId: '7',
  quantity: 1,
  error: 'it is withdrawn',
  attempts: 5,
  crashes: 0,
  enqueuedTime: '2026-03-01T12:00:00Z',
  deadTime: '2026-03-01T12:01:00Z',
  ageSeconds: 41,
});

const letters = ['a', 'b', 'c'].map(letter);
const refusal = (code: ProblemCode, status: number) => new ApiProblem({ code, title: code, detail: `It is ${code}.`, status, requestId: 'r-1' });

async function run(answers: Readonly<Record<string, Error>>, signal = new AbortController().signal) {
  const sent: string[] = [];
  const verdicts = await runDecisions({
    letters,
    send: ({ messageId }) => {
      sent.push(messageId);
      return answers[messageId] === undefined ? Promise.resolve() : Promise.reject(answers[messageId]);
    },
    onVerdicts: () => undefined,
    signal,
  });
  return { sent, verdicts: verdicts.map(({ verdict }) => verdict), left: [...undecided(verdicts)] };
}

test('each letter is sent and has its verdict', async () => {
  expect(await run({})).toEqual({ sent: ['a', 'b', 'c'], verdicts: ['done', 'done', 'done'], left: [] });
});

test('a letter that somebody else decided on is gone, and nothing is left to do with it', async () => {
  expect(await run({ b: refusal('not_found', 404) })).toEqual({ sent: ['a', 'b', 'c'], verdicts: ['done', 'gone', 'done'], left: [] });
});

test('a refused letter stays to be decided, and the others go on', async () => {
  expect(await run({ a: refusal('forbidden', 403) })).toEqual({ sent: ['a', 'b', 'c'], verdicts: ['failed', 'done', 'done'], left: ['a'] });
});

test('when no answer comes the rest is not sent', async () => {
  expect(await run({ b: refusal('no_connection', 0) })).toEqual({ sent: ['a', 'b'], verdicts: ['done', 'unknown', 'notSent'], left: ['b', 'c'] });
});

test('a stop is heard before the next letter', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await run({}, stop.signal)).toEqual({ sent: [], verdicts: ['notSent', 'notSent', 'notSent'], left: ['a', 'b', 'c'] });
});
