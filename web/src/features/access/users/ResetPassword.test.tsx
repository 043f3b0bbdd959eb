import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { renderPage } from '@/test/render';
import { problem, ScriptedService, session } from '@/test/service';
import { ResetPassword } from './ResetPassword';

const user = {
  id: 12,
  username: 'wang',
  displayName: 'Wang',
  roles: [],
  groupRoles: [],
  disabled: false,
  secondFactor: false,
  hasPassword: true,
  invitationExpiresTime: null,
  version: 3,
  etag: '"c-3"',
  createdTime: '2026-03-01T12:00:00Z',
  updatedTime: '2026-03-01T12:00:00Z',
  updatedBy: { id: 1, name: 'Admin' },
};
const password = 'a long enough password';
const conflict = (by: { id: number; name: string }) =>
  problem(412, 'version_conflict', {
    currentVersion: 4,
    currentEtag: '"c-4"',
    updatedBy: by,
    updatedTime: user.updatedTime,
    current: { ...user, version: 4, etag: '"c-4"' },
  });

const closed = vi.fn();

async function open(service: ScriptedService) {
  vi.stubGlobal('fetch', service.fetch);
  await renderPage(
    () => <ResetPassword user={user} onClose={closed} />,
    () => ({}),
  );
}

const type = async () => {
  await userEvent.type(screen.getByLabelText('New password'), password);
};
const send = async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Set the password' }));
};
const stored = () => JSON.stringify([localStorage, sessionStorage].map((one) => Object.entries(one)));

beforeEach(() => {
  closed.mockClear();
  sessionStore.signedIn(session());
});
afterEach(() => void vi.unstubAllGlobals());

test('the loser of two password resets can overwrite the first', async () => {
  const service = new ScriptedService(conflict({ id: 8, name: 'Li' }), { status: 200, body: { ...user, version: 5, etag: '"c-5"' } });
  await open(service);
  await type();
  await send();
  await screen.findByText(/^Li changed “wang”/);
  await send();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  expect(service.requests.map(({ headers }) => headers.get('If-Match'))).toEqual(['"c-3"', '"c-4"']);
});

test.each([true, false])('a password reset ends tokens only on request: %s', async (endTokens) => {
  const service = new ScriptedService({ status: 200, body: { ...user, version: 4, etag: '"c-4"' } });
  await open(service);
  await type();
  if (endTokens) await userEvent.click(screen.getByRole('checkbox', { name: 'Revoke the API tokens of this user too' }));
  await send();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  expect(await service.requests[0]?.json()).toEqual({ password, endTokens });
});

test('a short password is not sent', async () => {
  const service = new ScriptedService();
  await open(service);
  await userEvent.type(screen.getByLabelText('New password'), 'short');
  await send();
  await screen.findByText('Enter at least 12 characters; this has 5.');
  expect(service.requests).toEqual([]);
});

test('a lost reset is retried under its key without a stored password', async () => {
  const service = new ScriptedService(new TypeError('no link'), problem(422, 'idempotency_key_reused'));
  await open(service);
  await type();
  await send();
  await screen.findByText(/with the password that you entered first$/);
  expect(service.requests.map(({ headers }) => headers.get('If-Match'))).toEqual(['"c-3"', '"c-3"']);
  expect(new Set(service.requests.map(({ headers }) => headers.get('X-Idempotency-Key'))).size).toBe(1);
  expect(stored()).not.toContain(password);
});
