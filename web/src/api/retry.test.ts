import { expect, test, vi } from 'vitest';
import { problem, ScriptedService, session } from '@/test/service';
import { Attempts, retrying } from './retry';
import { SessionStore } from './session';
import { transport } from './transport';

const address = 'http://localhost:3000/api/v1/wallets/12/entries';
const done = { status: 201, body: { id: 1 } };
const lost = new TypeError('Failed to fetch');

/** Sends through the transport to a script. Waits return immediately and are recorded. */
function sending(...script: ConstructorParameters<typeof ScriptedService>) {
  const service = new ScriptedService(...script);
  const sessions = new SessionStore();
  sessions.signedIn(session());
  const log = new Attempts();
  const waits: number[] = [];
  const seen: (string | undefined)[] = [];
  log.subscribe(() => seen.push(log.of('k-1')));
  const wait = (milliseconds: number) => {
    waits.push(milliseconds);
    return Promise.resolve();
  };
  return { service, sessions, log, waits, seen, send: retrying(transport(sessions, service.fetch), () => sessions.owner, log, wait) };
}

const write = (headers: Record<string, string> = { 'X-Idempotency-Key': 'k-1' }) => new Request(address, { method: 'POST', body: '{"amount":5}', headers });

test('a write is not retried for another user and stays unknown', async () => {
  const { service, sessions, send, log } = sending(lost, done);
  log.subscribe(() => sessions.signedIn(session(99)));

  await expect(send(write())).rejects.toMatchObject({ code: 'other_identity', isOutcomeUnknown: true });
  expect(service.requests).toHaveLength(1);
});

test.each([
  ['the reply is lost', lost],
  ['the service is unavailable', problem(503, 'unavailable')],
  ['the first attempt is in progress', problem(409, 'request_in_progress')],
  ['another client is writing the same event', problem(409, 'inflight_duplicate')],
  ['the rate limit is reached', problem(429, 'rate_limited')],
  ['its outcome is unknown', problem(503, 'outcome_unknown')],
  ['a proxy replies without a problem', { status: 502, body: 'Bad gateway' }],
])('if %s, the request is resent after 100, 200 and 400 ms', async (_, failure) => {
  const { service, waits, send } = sending(failure, failure, failure, done);

  expect((await send(write())).status).toBe(201);

  expect(waits).toEqual([100, 200, 400]);
  expect(service.requests.map(({ headers }) => headers.get('X-Idempotency-Key'))).toEqual(['k-1', 'k-1', 'k-1', 'k-1']);
  expect(await Promise.all(service.requests.map((request) => request.text()))).toEqual(Array(4).fill('{"amount":5}'));
});

test('the error after four attempts is the last one', async () => {
  const { service, send, log } = sending(lost, lost, lost, lost);

  await expect(send(write())).rejects.toMatchObject({ code: 'no_connection' });

  expect(service.requests).toHaveLength(4);
  expect(log.of('k-1')).toBeUndefined();
});

test('a retry waits for the time in Retry-After', async () => {
  const { waits, send } = sending({ ...problem(503, 'unavailable'), headers: { 'Retry-After': '2' } }, done);
  await send(write());
  expect(waits).toEqual([2000]);
});

test('a wait in milliseconds has precedence over whole seconds', async () => {
  const { waits, send } = sending({ ...problem(409, 'request_in_progress', { retryAfterMs: 300 }), headers: { 'Retry-After': '1' } }, done);
  await send(write());
  expect(waits).toEqual([300]);
});

test('a long wait is not retried automatically', async () => {
  const { service, send } = sending({ ...problem(429, 'rate_limited'), headers: { 'Retry-After': '30' } });
  await expect(send(write())).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 30_000 });
  expect(service.requests).toHaveLength(1);
});

test.each([
  ['rejected by a rule', problem(409, 'insufficient_balance'), write()],
  ['rejected by a lock', problem(423, 'resource_locked'), write()],
  ['without a key', lost, write({})],
  ['a read', lost, new Request(address)],
])('a request %s is sent once', async (_, failure, request) => {
  const { service, send } = sending(failure);
  await expect(send(request)).rejects.toMatchObject({ name: 'ApiProblem' });
  expect(service.requests).toHaveLength(1);
});

test('a later rate limit does not settle an unknown outcome', async () => {
  const { seen, send } = sending(problem(429, 'rate_limited'), lost, problem(429, 'rate_limited'), done);
  await send(write());
  expect(seen).toEqual(['waiting', 'checking', undefined]);
});

test('a replayed reply is reported, a first reply is not', async () => {
  const { log, send } = sending(lost, { ...done, headers: { 'X-Idempotency-Replay': 'true' } }, done);
  const onReplay = vi.fn();
  log.onReplay(onReplay);
  await send(write());
  expect(onReplay).toHaveBeenCalledExactlyOnceWith('k-1');
  await send(write());
  expect(onReplay).toHaveBeenCalledTimes(1);
});

test('a request in progress is polled until it ends or times out', async () => {
  const running = problem(409, 'request_in_progress');
  const { waits, send } = sending(...Array<typeof running>(7).fill(running), done);
  expect((await send(write())).status).toBe(201);
  expect(waits).toEqual([100, 200, 400, 800, 1000, 1000, 1000]);

  const long = sending(...Array<typeof running>(30).fill(running));
  await expect(long.send(write())).rejects.toMatchObject({ code: 'request_in_progress' });
  expect(long.waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000);
});

test('an error reports whether an earlier attempt may have succeeded', async () => {
  const first = sending(problem(403, 'forbidden'));
  await expect(first.send(write())).rejects.toMatchObject({ code: 'forbidden', isInDoubt: false, isOutcomeUnknown: false });
  const later = sending(lost, problem(403, 'forbidden'));
  await expect(later.send(write())).rejects.toMatchObject({ code: 'forbidden', isInDoubt: true, isOutcomeUnknown: true });
  const settled = sending(lost, problem(409, 'insufficient_stock'));
  await expect(settled.send(write())).rejects.toMatchObject({ isOutcomeUnknown: false });
});

test('a repeated deletion with a lost reply succeeds on 404', async () => {
  const deletion = () => new Request(address, { method: 'DELETE', headers: { 'If-Match': '"e1"' } });
  const repeated = sending(lost, problem(404, 'not_found'));
  expect((await repeated.send(deletion())).status).toBe(204);
  const unmade = sending(problem(404, 'not_found'));
  await expect(unmade.send(deletion())).rejects.toMatchObject({ code: 'not_found' });
  const unguarded = sending(lost);
  await expect(unguarded.send(new Request(address, { method: 'DELETE' }))).rejects.toMatchObject({ code: 'no_connection' });
});
