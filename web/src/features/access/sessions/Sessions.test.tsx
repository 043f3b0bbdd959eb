import { Notifications } from '@mantine/notifications';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { renderPage } from '@/test/render';
import { problem, ScriptedService, session } from '@/test/service';
import { ConfirmProvider } from '@/ui/feedback/confirm';
import { Sessions } from './Sessions';

const one = (id: number, members: object = {}) => ({
  id,
  userId: 7,
  username: 'user7',
  address: `192.0.2.${id}`,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  current: false,
  lastUsedTime: null,
  expiresTime: '2026-03-02T12:00:00Z',
  createdTime: '2026-03-01T12:00:00Z',
  ...members,
});
const list = (...items: object[]) => ({ status: 200, body: { items, total: items.length, totalIsExact: true, nextCursor: null, prevCursor: null } });
const done = { status: 204 };

async function open(userId: number, ...script: ConstructorParameters<typeof ScriptedService>) {
  const service = new ScriptedService(...script);
  vi.stubGlobal('fetch', service.fetch);
  await renderPage(
    () => (
      <ConfirmProvider>
        <Notifications />
        <Sessions userId={userId} />
      </ConfirmProvider>
    ),
    () => ({}),
  );
  return service;
}

const rows = async () => within(await screen.findByRole('list', { name: 'Sessions' })).getAllByRole('listitem');
const calls = (service: ScriptedService) => service.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
const confirm = async (name: string) => {
  await userEvent.click(await within(await screen.findByRole('dialog')).findByRole('button', { name }));
};

beforeEach(() => sessionStore.signedIn(session()));
afterEach(() => void vi.unstubAllGlobals());

test('the current session is first; another one ends after confirmation', async () => {
  const service = await open(7, list(one(9), one(8, { current: true, address: '' })), done, list(one(8, { current: true })));
  const [first, second] = await rows();
  expect(first?.textContent).toMatch(/^Firefox on Linuxthis sessionunknown address/);
  expect(within(first as HTMLElement).queryByRole('button')).toBeNull();
  await userEvent.click(within(second as HTMLElement).getByRole('button', { name: 'End the session Firefox on Linux · 192.0.2.9' }));
  expect(calls(service)).toHaveLength(1);
  await confirm('End');
  await screen.findByText('The session was ended.');
  await vi.waitFor(async () => expect(await rows()).toHaveLength(1));
  expect(calls(service)).toEqual(['GET /api/v1/sessions', 'DELETE /api/v1/sessions/9', 'GET /api/v1/sessions']);
  expect(screen.queryByRole('button', { name: 'Sign out everywhere else' })).toBeNull();
});

test('an already ended session is reported', async () => {
  await open(7, list(one(9)), problem(404, 'not_found'), list());
  await userEvent.click(await screen.findByRole('button', { name: /^End the session/ }));
  await confirm('End');
  await screen.findByText('The session had already ended.');
  await screen.findByText('No active session');
});

test('all other sessions end after confirmation', async () => {
  const service = await open(7, list(one(8, { current: true }), one(9)), done, list(one(8, { current: true })));
  await userEvent.click(await screen.findByRole('button', { name: 'Sign out everywhere else' }));
  expect(calls(service)).toHaveLength(1);
  await confirm('Sign out everywhere else');
  await screen.findByText('You are signed out everywhere else.');
  expect(calls(service)[1]).toBe('DELETE /api/v1/sessions');
});

test('sessions of another user cannot all be ended together', async () => {
  const service = await open(12, list(one(9, { userId: 12 })));
  await rows();
  expect(new URL(service.requests[0]?.url ?? '').searchParams.get('userId')).toBe('12');
  expect(screen.queryByRole('button', { name: 'Sign out everywhere else' })).toBeNull();
});

test('a failed list is reported and can be retried', async () => {
  await open(12, problem(403, 'forbidden'), list());
  await screen.findByRole('alert');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('No active session');
});
