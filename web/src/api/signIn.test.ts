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

test('after a break of the stream one may do what the service says then', async () => {
  const now = session();
  vi.stubGlobal('fetch', new ScriptedService({ status: 200, body: { ...now, user: { ...now.user, permissions: ['orders:read'] } } }).fetch);
  breakStream();
  await vi.waitFor(() => expect(sessionStore.session?.user.permissions).toEqual(['orders:read']));
});

test('a session that ended meanwhile leaves the work on the screen', async () => {
  vi.stubGlobal('fetch', new ScriptedService(problem(401, 'unauthenticated')).fetch);
  breakStream();
  await vi.waitFor(() => expect(sessionStore.state().status).toBe('expired'));
});

test('while the service is away nothing changes', async () => {
  const service = new ScriptedService(new TypeError('no link'));
  vi.stubGlobal('fetch', service.fetch);
  breakStream();
  await vi.waitFor(() => expect(service.requests).toHaveLength(1));
  expect(sessionStore.state().status).toBe('in');
});
