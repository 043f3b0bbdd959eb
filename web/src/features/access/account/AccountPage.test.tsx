import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { renderPage } from '@/test/render';
import { session } from '@/test/service';
import { AccountPage } from './AccountPage';

const user = {
  id: 7,
  username: 'user7',
  displayName: 'User 7',
  roles: ['support'],
  groupRoles: [],
  disabled: false,
  hasPassword: true,
  version: 3,
  etag: '"c-3"',
  createdTime: '2026-03-01T12:00:00Z',
  updatedTime: '2026-03-01T12:00:00Z',
  updatedBy: { id: 1, name: 'Admin' },
};
const permissions = ['orders:*', 'orders:read', 'items:read'];
const plain = { ...session(), user: { ...session().user, permissions } };
const renamed = { ...user, displayName: 'Seven', version: 4, etag: '"c-4"' };

/** Replies by the path of the request. */
function serve(onEdit: (guard: string | null) => Response) {
  const account = { now: user };
  const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    if (request.method === 'PATCH') return Promise.resolve(onEdit(request.headers.get('If-Match')));
    // The second read never completes, so the page shows the reply of the edit.
    if (path === '/api/v1/me') return account.now === user ? Promise.resolve(json({ ...user, permissions })) : new Promise<Response>(() => undefined);
    if (path === '/api/v1/session') return Promise.resolve(json({ ...plain, user: { ...plain.user, displayName: account.now.displayName } }));
    return Promise.resolve(json({ items: [], total: 0, totalIsExact: true, nextCursor: null, prevCursor: null }));
  });
  return { account, json };
}

const open = () =>
  renderPage(
    () => <AccountPage />,
    () => ({}),
  );
const mayDo = async () =>
  within(await screen.findByRole('region', { name: 'My permissions' }))
    .getAllByRole('listitem')
    .map((one) => one.textContent);

beforeEach(() => sessionStore.signedIn(plain));
afterEach(() => void vi.unstubAllGlobals());

test('a conflict lists only user fields and preserves displayed permissions', async () => {
  const { account, json } = serve(() => {
    account.now = renamed;
    const conflict = { currentVersion: 4, currentEtag: renamed.etag, updatedBy: renamed.updatedBy, updatedTime: renamed.updatedTime, current: renamed };
    return json(
      { type: '/problems/version_conflict', title: '', status: 412, code: 'version_conflict', detail: 'It was changed.', requestId: 'r', ...conflict },
      412,
    );
  });
  await open();
  const shown = [expect.stringMatching(/^orders:\*/), expect.stringMatching(/^items:read/)];
  expect(await mayDo()).toEqual(shown);
  await userEvent.type(screen.getByLabelText('Display name'), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save · v4' }));
  await screen.findByRole('button', { name: 'Keep yours for Display name' });
  expect(await mayDo()).toEqual(shown);
});

test('a new name is shown everywhere immediately', async () => {
  const guards: (string | null)[] = [];
  const { account, json } = serve((guard) => {
    guards.push(guard);
    account.now = renamed;
    return json({ ...renamed, permissions });
  });
  await open();
  const input = await screen.findByLabelText('Display name');
  await userEvent.clear(input);
  await userEvent.click(screen.getByRole('button', { name: 'Save · v4' }));
  await screen.findByText('Enter a display name.');
  await userEvent.type(input, 'Seven');
  await userEvent.click(screen.getByRole('button', { name: 'Save · v4' }));
  await vi.waitFor(() => expect(sessionStore.session?.user.displayName).toBe('Seven'));
  expect(guards).toEqual(['"c-3"']);
});
