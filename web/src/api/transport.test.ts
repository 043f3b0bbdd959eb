import { expect, test, vi } from 'vitest';
import { problem, ScriptedService, session } from '@/test/service';
import { encode, type Json } from '@/merge';
import { ApiProblem, isProblem, transitionRejected, versionConflict } from './problem';
import { may, SessionStore } from './session';
import { StepUpQuestion } from './stepUp';
import { transport } from './transport';

const address = 'http://localhost:3000/api/v1';

function signedIn(...script: ConstructorParameters<typeof ScriptedService>) {
  const service = new ScriptedService(...script);
  const sessions = new SessionStore();
  sessions.signedIn(session());
  return { service, sessions, send: transport(sessions, service.fetch) };
}

const write = (headers = {}) => new Request(`${address}/configs/a`, { method: 'PATCH', body: '{"value":1.50}', headers: { 'If-Match': '"e1"', ...headers } });

test('a write has the CSRF token, and every request an id', async () => {
  const { service, send } = signedIn({ status: 200, body: {} }, { status: 200, body: {} });

  await send(write());
  await send(new Request(`${address}/configs`));

  const [patch, get] = service.requests;
  expect(patch?.headers.get('X-CSRF-Token')).toBe('token-1');
  expect(get?.headers.get('X-CSRF-Token')).toBeNull();
  expect(patch?.headers.get('X-Request-Id')).toMatch(/^[0-9a-f]{32}$/);
  expect(get?.headers.get('X-Request-Id')).not.toBe(patch?.headers.get('X-Request-Id'));
});

test('a proposal is not treated as an applied change', async () => {
  const { send } = signedIn(
    { status: 202, body: { id: 12 }, headers: { Location: '/api/v1/approvals/12' } },
    { status: 202, body: { ticket: 'T' }, headers: { Location: '/api/v1/flash-sales/1/tickets/T' } },
  );

  await expect(send(write())).rejects.toMatchObject({ code: 'proposed', isOutcomeUnknown: false });
  expect((await send(write())).status).toBe(202);
});

test('a write after session end waits for sign-in and is resent', async () => {
  const { service, sessions, send } = signedIn(problem(401, 'unauthenticated'), { status: 200, body: { version: 2 } });

  const reply = send(write({ 'X-Idempotency-Key': 'k-1' }));
  await expect.poll(() => sessions.state().status).toBe('expired');
  expect(service.requests).toHaveLength(1);
  sessions.signedIn(session(7, 'token-2'));

  expect(await (await reply).json()).toEqual({ version: 2 });
  const again = service.requests[1];
  expect(await again?.text()).toBe('{"value":1.50}');
  expect(again?.headers.get('If-Match')).toBe('"e1"');
  expect(again?.headers.get('X-Idempotency-Key')).toBe('k-1');
  expect(again?.headers.get('X-CSRF-Token')).toBe('token-2');
});

test('a write is never retried as another user', async () => {
  const { service, sessions, send } = signedIn(problem(401, 'unauthenticated'));

  const reply = send(write());
  await expect.poll(() => sessions.state().status).toBe('expired');
  sessions.signedIn(session(8));

  await expect(reply).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(service.requests).toHaveLength(1);
});

test('one sign-in resumes all waiting requests', async () => {
  const { sessions, send } = signedIn(problem(401, 'unauthenticated'), problem(401, 'unauthenticated'), { status: 200, body: 1 }, { status: 200, body: 2 });

  const replies = [send(write()), send(new Request(`${address}/configs`))];
  await expect.poll(() => sessions.state().status).toBe('expired');
  await new Promise((resolve) => setTimeout(resolve));
  sessions.signedIn(session());

  expect((await Promise.all(replies)).map(({ ok }) => ok)).toEqual([true, true]);
});

test('a wrong password opens no sign-in dialog', async () => {
  const { sessions, send } = signedIn(problem(401, 'invalid_credentials'));

  await expect(send(new Request(`${address}/session`, { method: 'POST', body: '{}' }))).rejects.toMatchObject({ code: 'invalid_credentials' });
  expect(sessions.state().status).toBe('in');
});

test('a stale token is renewed after another tab changed it', async () => {
  const { service, send } = signedIn(problem(403, 'csrf_failed'), { status: 200, body: session(7, 'token-3') }, { status: 200, body: {} });

  await send(write());

  expect(service.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'PATCH']);
  expect(service.requests[2]?.headers.get('X-CSRF-Token')).toBe('token-3');
});

test('a request waits for step-up and is resent in the new session', async () => {
  const service = new ScriptedService(problem(403, 'step_up_required'), problem(403, 'step_up_required'), { status: 200, body: {} }, { status: 200, body: {} });
  const sessions = new SessionStore();
  sessions.signedIn(session());
  const question = new StepUpQuestion();
  const send = transport(sessions, service.fetch, question);
  const both = Promise.all([send(write({ 'X-Idempotency-Key': 'k-1' })), send(write({ 'X-Idempotency-Key': 'k-2' }))]);
  await vi.waitFor(() => expect(service.requests).toHaveLength(2));
  await vi.waitFor(() => expect(question.isAsked()).toBe(true));

  sessions.signedIn(session(7, 'token-2'));
  question.settle(true);

  expect((await both).map(({ status }) => status)).toEqual([200, 200]);
  expect(service.requests.slice(2).map(({ headers }) => [headers.get('X-Idempotency-Key'), headers.get('X-CSRF-Token')])).toEqual([
    ['k-1', 'token-2'],
    ['k-2', 'token-2'],
  ]);
  expect(await service.requests[2]?.text()).toBe('{"value":1.50}');
  expect(question.isAsked()).toBe(false);
});

test('a dismissed step-up reports that the write was not executed', async () => {
  const service = new ScriptedService(problem(403, 'step_up_required'));
  const sessions = new SessionStore();
  sessions.signedIn(session());
  const question = new StepUpQuestion();
  const sent = transport(sessions, service.fetch, question)(write());
  await vi.waitFor(() => expect(question.isAsked()).toBe(true));
  question.settle(false);
  await expect(sent).rejects.toMatchObject({ code: 'step_up_required', isOutcomeUnknown: false });
  expect(service.requests).toHaveLength(1);
});

test('a request with a rotated cookie is retried without sign-in', async () => {
  const { service, sessions, send } = signedIn(problem(401, 'unauthenticated'), { status: 200, body: {} });
  let renewed: () => void = () => undefined;
  sessions.renewing(new Promise<void>((resolve) => (renewed = resolve)));
  const reply = send(write());
  await vi.waitFor(() => expect(service.requests).toHaveLength(1));
  sessions.signedIn(session(7, 'token-2'));
  renewed();
  expect((await reply).status).toBe(200);
  expect(sessions.state().status).toBe('in');
  expect(service.requests[1]?.headers.get('X-CSRF-Token')).toBe('token-2');
});

test('an unauthenticated step-up is rejected without a sign-in', async () => {
  const { sessions, send } = signedIn(problem(401, 'unauthenticated'));
  const stepUp = send(new Request(`${address}/session/step-up`, { method: 'POST', body: '{}' }));
  sessions.renewing(stepUp);
  await expect(stepUp).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(sessions.state().status).toBe('in');
});

test('a request without a reply is unknown and not resent', async () => {
  const { service, send } = signedIn(new TypeError('Failed to fetch'));

  const error: unknown = await send(write()).catch((thrown: unknown) => thrown);

  expect(isProblem(error, 'no_connection') && error.isOutcomeUnknown).toBe(true);
  expect(service.requests).toHaveLength(1);
});

test('a conflict contains both values with exact digits', async () => {
  const { send } = signedIn(
    problem(412, 'version_conflict', {
      expectedVersion: 17,
      currentVersion: 19,
      currentEtag: '"e19"',
      updatedBy: { id: 3, name: 'Li' },
      updatedTime: '2026-11-11T00:00:00Z',
      base: { value: 1 },
      current: { value: 3 },
      conflicts: [{ pointer: '/value', base: 1, yours: 2, theirs: 3 }],
      theirsOnly: ['/remark'],
      yoursOnly: [],
      autoMergeable: false,
    }),
  );

  const conflict = versionConflict<{ value: number }>(await send(write()).catch((thrown: unknown) => thrown));

  expect(conflict?.current.value).toBe(3);
  expect(conflict?.updatedBy.name).toBe('Li');
  expect(conflict?.conflicts.map(({ pointer, theirs }) => [pointer, theirs])).toEqual([['/value', 3]]);
});

test('the values of a conflict preserve their spelling', () => {
  const members = { code: 'version_conflict' as const, title: '', detail: '', status: 412, requestId: '' };
  const text = '{"conflicts":[{"pointer":"/value","yours":9007199254740993,"theirs":1.50}],"current":{"value":1.50}}';

  const conflict = versionConflict(new ApiProblem(members, text));

  expect(encode(conflict?.conflicts as unknown as Json)).toBe('[{"pointer":"/value","yours":9007199254740993,"theirs":1.50}]');
});

test('the loser of a transition receives the winner', async () => {
  const { send } = signedIn(
    problem(409, 'status_changed', {
      current: { id: 1 },
      currentStatus: 'approved',
      allowedTransitions: ['settle'],
      changedBy: { id: 3, name: 'Li' },
      changedTime: 't',
    }),
  );

  const error: unknown = await send(write()).catch((thrown: unknown) => thrown);

  expect(transitionRejected<{ id: number }>(error)).toMatchObject({ currentStatus: 'approved', changedBy: { name: 'Li' } });
  expect(versionConflict(error)).toBeUndefined();
});

test.each([502, 503, 504])('a %d page of a proxy leaves the outcome unknown', async (status) => {
  const { send } = signedIn({ status, body: 'Bad gateway', headers: { 'Retry-After': '3' } });

  const error: unknown = await send(write()).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: 'bad_gateway', status, retryAfter: 3000 });
  expect(isProblem(error) && error.isOutcomeUnknown).toBe(true);
  expect(isProblem(error) && error.as()).toEqual({});
});

test('a truncated reply is no reply', async () => {
  const { sessions } = signedIn();
  const half = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"version":'));
      controller.error(new TypeError('network error'));
    },
  });
  const send = transport(sessions, () => Promise.resolve(new Response(half, { status: 200 })));

  await expect(send(write())).rejects.toMatchObject({ code: 'no_connection' });
});

test.each([
  [['*'], 'configs:write', true],
  [['configs:*'], 'configs:write', true],
  [['configs:read'], 'configs:write', false],
  [['configs:write'], 'configs:write', true],
  [['orders:*'], 'configs:write', false],
])('%j grants %s: %s', (permissions, permission, granted) => {
  expect(may(permissions, permission)).toBe(granted);
});
