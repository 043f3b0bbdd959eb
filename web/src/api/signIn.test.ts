import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { problem, ScriptedService, session } from '@/test/service';
import { liveStream } from './live';
import { sessionStore } from './session';
import { followSession } from './signIn';

let breakStream: () => void;
let stop: () => void;

beforeEach(() => {
  vi.spyOn(liveStream, 'onEvent').mockImplementation((handler) => {
    const begin = () => handler({ id: '', event: 'ready', data: '{"topics":[]}' });
    begin();
    breakStream = begin;
    return () => undefined;
  });
  sessionStore.signedIn(session());
  stop = followSession();
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('permissions follow the service after the stream reconnects', async () => {
  const now = session();
  vi.stubGlobal('fetch', new ScriptedService({ status: 200, body: { ...now, user: { ...now.user, permissions: ['orders:read'] } } }).fetch);
  breakStream();
  await vi.waitFor(() => expect(sessionStore.session?.user.permissions).toEqual(['orders:read']));
});

test('an ended session preserves the page', async () => {
  vi.stubGlobal('fetch', new ScriptedService(problem(401, 'unauthenticated')).fetch);
  breakStream();
  await vi.waitFor(() => expect(sessionStore.state().status).toBe('expired'));
});

test('an outage of the service preserves the session', async () => {
  const service = new ScriptedService(new TypeError('no link'));
  vi.stubGlobal('fetch', service.fetch);
  breakStream();
  await vi.waitFor(() => expect(service.requests).toHaveLength(1));
  expect(sessionStore.state().status).toBe('in');
});
