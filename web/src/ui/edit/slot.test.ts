import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore, type ProblemCode } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { session } from '@/test/service';
import { sendOnce, slotOf } from './slot';

const named = { owner: ownerOf('default', 7), scope: 'orders/new' };
const slot = slotOf(named, 'New order');
const failure = (code: ProblemCode) => new ApiProblem({ code, title: '', detail: '', status: 400, requestId: '' });
const send = vi.fn<(key: string) => Promise<string>>();
const again = () => sendOnce(slot, { n: 1 }, send).catch((error: unknown) => error);
const keys = () => send.mock.calls.map(([key]) => key);

beforeEach(() => {
  drafts.clear(named.owner);
  send.mockReset();
  sessionStore.signedIn(session());
});

test.each([
  ['somebody else is signed in', () => sessionStore.signedIn(session(8))],
  ['they are signed in to another tenant', () => sessionStore.signedIn({ ...session(), tenant: 'other' })],
  ['nobody is signed in', () => sessionStore.signedOut()],
])('what one has begun is not sent while %s, and can still be asked for', async (_, change) => {
  send.mockRejectedValueOnce(failure('no_connection')).mockResolvedValueOnce('done');
  await again();
  change();
  expect(await again()).toMatchObject({ code: 'other_identity', isOutcomeUnknown: false });
  expect(send).toHaveBeenCalledTimes(1);
  expect(slot.get()?.sent).toEqual({ n: 1 });
  sessionStore.signedIn(session());
  expect(await again()).toBe('done');
  expect(new Set(keys()).size).toBe(1);
});

test('deleting what is typed keeps a request without an answer, and one in flight is not given up', async () => {
  let lose: (error: Error) => void = () => undefined;
  send.mockReturnValueOnce(new Promise((_, reject) => (lose = reject)));
  slot.put({ value: { n: 1 } });
  const attempt = again();
  slot.drop();
  slot.giveUp();
  slot.put({ value: { n: 2 }, key: 'other' });
  expect(slot.get()).toMatchObject({ sent: { n: 1 }, key: keys()[0] });
  lose(failure('no_connection'));
  await attempt;
  slot.drop();
  expect(slot.get()).toMatchObject({ sent: { n: 1 }, key: keys()[0], value: undefined });
  slot.giveUp();
  expect(slot.get()).toBeUndefined();
});

test('a key is kept with what was sent before it leaves, and spent with the answer', async () => {
  send.mockImplementation((key) => {
    expect(slot.get()).toMatchObject({ key, sent: { n: 1 } });
    return Promise.resolve('done');
  });
  expect(await again()).toBe('done');
  expect(slot.get()).toBeUndefined();
});

test.each<ProblemCode>(['no_connection', 'timed_out', 'bad_gateway', 'outcome_unknown', 'request_in_progress'])(
  'after %s the same is asked for under the same key',
  async (code) => {
    send.mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
    expect(await again()).toMatchObject({ code });
    await again();
    expect(new Set(keys()).size).toBe(1);
  },
);

test('what is no answer of the service leaves the outcome unknown too', async () => {
  send.mockRejectedValueOnce(new SyntaxError('half a reply')).mockResolvedValueOnce('done');
  await again();
  await again();
  expect(new Set(keys()).size).toBe(1);
});

test.each<ProblemCode>(['unavailable', 'internal', 'rate_limited', 'unauthenticated', 'csrf_failed', 'forbidden'])(
  '%s says nothing of an attempt whose answer was lost: the key stays',
  async (code) => {
    send.mockRejectedValueOnce(failure('no_connection')).mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
    await again();
    await again();
    await again();
    expect(new Set(keys()).size).toBe(1);
  },
);

test.each<ProblemCode>(['unavailable', 'validation_failed', 'resource_locked', 'version_conflict'])(
  'after %s to a first attempt nothing was done, and the next one is another',
  async (code) => {
    send.mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
    await again();
    await again();
    expect(new Set(keys()).size).toBe(2);
  },
);

test('a refusal of what was asked settles a doubt', async () => {
  send.mockRejectedValueOnce(failure('no_connection')).mockRejectedValueOnce(failure('insufficient_stock')).mockResolvedValueOnce('done');
  await again();
  await again();
  expect(slot.get()?.sent).toBeUndefined();
  await again();
  expect(new Set(keys()).size).toBe(2);
});

test('a day later the same is not asked for again, for it would be done once more; until then it is', async () => {
  const hour = 3_600_000;
  const begun = Date.now();
  const now = vi.spyOn(Date, 'now').mockReturnValue(begun);
  send.mockRejectedValue(failure('no_connection'));
  await again();
  now.mockReturnValue(begun + 22 * hour);
  expect(await again()).toMatchObject({ code: 'no_connection' });
  // What was asked for again was first sent when it was.
  now.mockReturnValue(begun + 24 * hour);
  expect(await again()).toMatchObject({ code: 'key_expired', isOutcomeUnknown: true });
  expect(send).toHaveBeenCalledTimes(2);
  expect(slot.get()?.sent).toEqual({ n: 1 });
  slot.put({ key: undefined, sent: undefined });
  send.mockResolvedValueOnce('done');
  expect(await again()).toBe('done');
  now.mockRestore();
});
