// Proves G3.19.

import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore, type ProblemCode } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { session } from '@/test/service';
import { sendOnce, slotOf } from './slot';

const named = { owner: ownerOf('default', 7), scope: 'orders/new' };
const slot = slotOf(named, 'New order');
const failure = (code: ProblemCode) => new ApiProblem({ code, title: '', detail: '', status: 400, requestId: '' });
const send = vi.fn<(key: string) => Promise<string>>();
const retry = () => sendOnce(slot, { n: 1 }, send).catch((error: unknown) => error);
const keys = () => send.mock.calls.map(([key]) => key);

beforeEach(() => {
  drafts.clear(named.owner);
  send.mockReset();
  sessionStore.signedIn(session());
});

test.each([
  ['another user is signed in', () => sessionStore.signedIn(session(8))],
  ['the user is signed in to another tenant', () => sessionStore.signedIn({ ...session(), tenant: 'other' })],
  ['no user is signed in', () => sessionStore.signedOut()],
])('a request is not sent while %s, and can be retried later', async (_, change) => {
  send.mockRejectedValueOnce(failure('no_connection')).mockResolvedValueOnce('done');
  await retry();
  change();
  expect(await retry()).toMatchObject({ code: 'other_identity', isOutcomeUnknown: false });
  expect(send).toHaveBeenCalledTimes(1);
  expect(slot.get()?.sent).toEqual({ n: 1 });
  sessionStore.signedIn(session());
  expect(await retry()).toBe('done');
  expect(new Set(keys()).size).toBe(1);
});

test('dropping input preserves a pending request', async () => {
  let lose: (error: Error) => void = () => undefined;
  send.mockReturnValueOnce(new Promise((_, reject) => (lose = reject)));
  slot.put({ value: { n: 1 } });
  const attempt = retry();
  slot.drop();
  slot.abandon();
  slot.put({ value: { n: 2 }, key: 'other' });
  expect(slot.get()).toMatchObject({ sent: { n: 1 }, key: keys()[0] });
  lose(failure('no_connection'));
  await attempt;
  slot.drop();
  expect(slot.get()).toMatchObject({ sent: { n: 1 }, key: keys()[0], value: undefined });
  slot.abandon();
  expect(slot.get()).toBeUndefined();
});

test('the key is stored before sending and spent by the response', async () => {
  send.mockImplementation((key) => {
    expect(slot.get()).toMatchObject({ key, sent: { n: 1 } });
    return Promise.resolve('done');
  });
  expect(await retry()).toBe('done');
  expect(slot.get()).toBeUndefined();
});

test.each<ProblemCode>(['no_connection', 'timed_out', 'bad_gateway', 'outcome_unknown', 'request_in_progress'])(
  'after %s the retry has the same key',
  async (code) => {
    send.mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
    expect(await retry()).toMatchObject({ code });
    await retry();
    expect(new Set(keys()).size).toBe(1);
  },
);

test('an unreadable response leaves the outcome unknown', async () => {
  send.mockRejectedValueOnce(new SyntaxError('half a reply')).mockResolvedValueOnce('done');
  await retry();
  await retry();
  expect(new Set(keys()).size).toBe(1);
});

test.each<ProblemCode>(['unavailable', 'internal', 'rate_limited', 'unauthenticated', 'csrf_failed', 'forbidden'])(
  '%s does not settle a lost attempt: the key stays',
  async (code) => {
    send.mockRejectedValueOnce(failure('no_connection')).mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
    await retry();
    await retry();
    await retry();
    expect(new Set(keys()).size).toBe(1);
  },
);

test.each<ProblemCode>(['unavailable', 'validation_failed', 'resource_locked', 'version_conflict'])('%s on a first attempt spends the key', async (code) => {
  send.mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
  await retry();
  await retry();
  expect(new Set(keys()).size).toBe(2);
});

test('a rejection settles an unknown outcome', async () => {
  send.mockRejectedValueOnce(failure('no_connection')).mockRejectedValueOnce(failure('insufficient_stock')).mockResolvedValueOnce('done');
  await retry();
  await retry();
  expect(slot.get()?.sent).toBeUndefined();
  await retry();
  expect(new Set(keys()).size).toBe(2);
});

test('a request is retried for less than a day', async () => {
  const hour = 3_600_000;
  const start = Date.now();
  const now = vi.spyOn(Date, 'now').mockReturnValue(start);
  send.mockRejectedValue(failure('no_connection'));
  await retry();
  now.mockReturnValue(start + 22 * hour);
  expect(await retry()).toMatchObject({ code: 'no_connection' });
  // A retry does not change the time of the first attempt.
  now.mockReturnValue(start + 24 * hour);
  expect(await retry()).toMatchObject({ code: 'key_expired', isOutcomeUnknown: true });
  expect(send).toHaveBeenCalledTimes(2);
  expect(slot.get()?.sent).toEqual({ n: 1 });
  slot.put({ key: undefined, sent: undefined });
  send.mockResolvedValueOnce('done');
  expect(await retry()).toBe('done');
  now.mockRestore();
});
