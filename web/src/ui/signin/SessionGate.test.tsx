import { Notifications, notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { liveStream, sessionStore } from '@/api';
import { renderPage } from '@/test/render';
import { session } from '@/test/service';
import { useConfirm } from '../feedback/confirm';
import { useToasts } from '../feedback/toasts';
import { SessionGate } from './SessionGate';

const again = vi.fn();
const read = vi.fn<() => Promise<string>>();
/** Every text that was on the screen. */
const shown = new Set<string>();

function Work() {
  const toasts = useToasts();
  const ask = useConfirm();
  const rows = useQuery({ queryKey: ['rows'], queryFn: read }).data;
  if (rows !== undefined) shown.add(rows);
  return (
    <>
      <p>{rows}</p>
      <button onClick={() => toasts.unknown(undefined, again, 'Delete TEA')}>Delete</button>
      <button onClick={() => void ask({ title: 'Delete TEA?', confirm: 'Delete it' })}>Ask</button>
    </>
  );
}

beforeEach(async () => {
  vi.spyOn(liveStream, 'start').mockReturnValue(undefined);
  read.mockResolvedValue('rows of a');
  // The sign-in page requests the providers.
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items: [], total: 0, totalIsExact: true, nextCursor: null })));
  sessionStore.signedIn(session());
  await renderPage(
    () => (
      <>
        <Notifications />
        <SessionGate>
          <Work />
        </SessionGate>
      </>
    ),
    () => ({}),
  );
});
afterEach(() => {
  notifications.clean();
  vi.unstubAllGlobals();
});

test.each([
  ['another user signs in', () => sessionStore.signedIn(session(8))],
  ['the same user signs in to another tenant', () => sessionStore.signedIn({ ...session(), tenant: 'other' })],
  ['one signs out', () => sessionStore.signedOut()],
])('if %s, earlier requests cannot be retried', async (_, change) => {
  act(() => screen.getByRole('button', { name: 'Delete' }).click());
  await screen.findByRole('button', { name: 'Retry' });
  act(change);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull());
  expect(again).not.toHaveBeenCalled();
});

test('a new session of the same user preserves the page', async () => {
  act(() => screen.getByRole('button', { name: 'Delete' }).click());
  const button = await screen.findByRole('button', { name: 'Retry' });
  act(() => sessionStore.signedIn(session(7, 'token-2')));
  expect(button.isConnected).toBe(true);
});

test('a change of user closes an open confirmation', async () => {
  act(() => screen.getByRole('button', { name: 'Ask' }).click());
  await screen.findByRole('button', { name: 'Delete it' });
  act(() => sessionStore.signedIn(session(8)));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete it' })).toBeNull());
});

test('data of one tenant is never displayed in another', async () => {
  await screen.findByText('rows of a');
  read.mockResolvedValue('rows of b');
  shown.clear();
  act(() => sessionStore.signedIn({ ...session(), tenant: 'b' }));
  await screen.findByText('rows of b');
  expect([...shown]).toEqual(['rows of b']);
});
