import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { renderPage } from '@/test/render';
import { problem, ScriptedService, session } from '@/test/service';
import { ChangePassword } from './ChangePassword';

const current = 'the password of now';
const next = 'a long enough password';
const me = {
  id: 7,
  username: 'user7',
  displayName: 'User 7',
  roles: ['admin'],
  permissions: ['*'],
  groupRoles: [],
  disabled: false,
  version: 4,
  etag: '"c-4"',
  createdTime: '2026-03-01T12:00:00Z',
  updatedTime: '2026-03-01T12:00:00Z',
  updatedBy: { id: 7, name: 'User 7' },
};
const wrong = problem(422, 'validation_failed', { fields: [{ pointer: '/currentPassword', code: 'wrong', message: 'is not your password' }] });

const closed = vi.fn();

async function open(...script: ConstructorParameters<typeof ScriptedService>) {
  const service = new ScriptedService(...script);
  vi.stubGlobal('fetch', service.fetch);
  await renderPage(
    () => <ChangePassword onClose={closed} />,
    () => ({}),
  );
  return service;
}

const input = (label: string) => screen.getByLabelText(label);
async function fill(now: string, then: string, again = then) {
  for (const [label, text] of [
    ['Current password', now],
    ['New password', then],
    ['Repeat the new password', again],
  ] as const) {
    await userEvent.clear(input(label));
    await userEvent.type(input(label), text);
  }
}
const send = async (name = 'Change password') => {
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }));
};
const stored = () => JSON.stringify([localStorage, sessionStorage].map((one) => Object.entries(one)));

beforeEach(() => {
  closed.mockClear();
  sessionStore.signedIn(session());
});
afterEach(() => void vi.unstubAllGlobals());

test('invalid input is reported at its field and not sent', async () => {
  const service = await open();
  screen.getByText(/^At least 12 characters/);
  screen.getByText(/^All your other sessions end/);
  await send();
  await screen.findByText('Enter your current password.');
  expect(document.activeElement).toBe(input('Current password'));
  await fill(current, 'short', 'shore');
  await send();
  await screen.findByText('Enter at least 12 characters; this has 5.');
  screen.getByText('The passwords do not match.');
  await fill(next, next);
  await send();
  await screen.findByText('The new password must differ from the current one.');
  expect(service.requests).toEqual([]);
});

test.each([true, false])('a password change ends tokens only on request: %s', async (endTokens) => {
  const service = await open({ status: 200, body: me });
  await fill(current, next);
  if (endTokens) await userEvent.click(screen.getByRole('checkbox', { name: 'Revoke my API tokens too' }));
  await send();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  expect(service.requests).toHaveLength(1);
  expect(await service.requests[0]?.json()).toEqual({ currentPassword: current, newPassword: next, endTokens });
  expect(stored()).not.toMatch(/password of now|long enough/);
});

test('a wrong current password is reported until it is changed', async () => {
  const service = await open(wrong, { status: 200, body: me });
  await fill('not this one at all', next);
  await send();
  await screen.findByText(/^This is not your password/);
  expect(input('Current password').getAttribute('aria-invalid')).toBe('true');
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.clear(input('Current password'));
  await userEvent.type(input('Current password'), current);
  expect(screen.queryByText(/^This is not your password/)).toBeNull();
  await send();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  expect(service.requests).toHaveLength(2);
});

test('too many wrong passwords report the wait', async () => {
  await open({ ...problem(429, 'too_many_attempts'), headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '840' } });
  await fill(current, next);
  await send();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/nothing was changed.*Try again in 14 min/);
});

test('a wrong-password reply to a retry reports a possible success', async () => {
  const service = await open(new TypeError('no link'), wrong);
  await fill(current, next);
  await send();
  await screen.findByText(/your password is changed only once/);
  expect(stored()).toContain('me/password');
  expect(stored()).not.toMatch(/password of now|long enough/);
  await send('Retry');
  await screen.findByText(/Your first request may have been carried out/);
  expect(service.requests).toHaveLength(2);
});
