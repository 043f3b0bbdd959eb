import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lastTenant, sessionStore } from '@/api';
import { storeReturnPath } from '@/browser/returnTo';
import { renderPage } from '@/test/render';
import { problem, ScriptedService, session } from '@/test/service';
import { SingleSignOnPage } from './SingleSignOnPage';

async function open(hash: string, ...script: ConstructorParameters<typeof ScriptedService>) {
  const service = new ScriptedService(...script);
  vi.stubGlobal('fetch', service.fetch);
  const page = await renderPage(
    () => <SingleSignOnPage />,
    () => ({}),
    `/?#${hash}`,
  );
  return { service, page };
}

beforeEach(() => {
  sessionStorage.clear();
  sessionStore.signedOut();
});
afterEach(() => void vi.unstubAllGlobals());

test.each([
  ['over', 'This sign-in is no longer valid'],
  ['cancelled', 'The sign-in was cancelled'],
  ['unavailable', 'The provider did not respond'],
  ['refused', 'The response from the provider could not be verified'],
  ['clock', 'The clocks differ'],
  ['not_linked', 'No user is linked to this account'],
  ['linked_elsewhere', 'Another user is linked to this account'],
  ['disabled', 'Your account is disabled'],
  ['too_many', 'Too many sign-in attempts from your network'],
  ['failed', 'You are not signed in'],
  ['something else', 'This sign-in is no longer valid'],
  ['constructor', 'This sign-in is no longer valid'],
])('the error %s has a sentence', async (word, sentence) => {
  await open(`failure=${encodeURIComponent(word)}&request=not+ours`);
  await screen.findByText(sentence);
  screen.getByRole('button', { name: 'Go back' });
  expect(screen.queryByText(/not ours/)).toBeNull();
});

test('an existing session is used', async () => {
  storeReturnPath('/orders');
  const { service } = await open('result=signed-in', { status: 200, body: { ...session(), tenant: 'shop' } });
  await waitFor(() => expect(sessionStore.state().status).toBe('in'));
  expect(lastTenant()).toBe('shop');
  expect(service.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/api/v1/session']);
});

test.each(['{"rpId":"elsewhere.example"}', 'no JSON'])('a passkey of another host is reported: %s', async (passkey) => {
  await open(`challenge=secret-1&methods=passkey,recovery&passkey=${encodeURIComponent(passkey)}`);
  await screen.findByText(/^Your passkey does not work on this page/);
  await screen.findByLabelText('Recovery code');
  expect(screen.queryByRole('button', { name: 'Use your passkey' })).toBeNull();
});

test('a second factor is requested, and its expiry is reported', async () => {
  const { service } = await open('challenge=secret-1&methods=totp,recovery,smoke', problem(401, 'unauthenticated'));
  await userEvent.type(await screen.findByLabelText('Code from your authenticator app'), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText(/^The sign-in has expired/);
  expect(await service.requests[0]?.json()).toEqual({ challenge: 'secret-1', method: 'totp', code: '123456' });
});
