import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askForPasskey, createPasskey, PasskeyError, passkeyUse, abortRequest } from './passkeys';

class OfBrowser {
  static parseCreationOptionsFromJSON = (options: object) => ({ parsed: options });
  static parseRequestOptionsFromJSON = (options: object) => ({ parsed: options });
  toJSON() {
    return { id: 'AQ' };
  }
}

const requests = { create: vi.fn(), get: vi.fn() };
const creation = { challenge: 'AQ' } as Parameters<typeof createPasskey>[0];
const request = { challenge: 'AQ' };

beforeEach(() => {
  requests.create.mockReset().mockResolvedValue(new OfBrowser());
  requests.get.mockReset().mockResolvedValue(new OfBrowser());
  vi.stubGlobal('PublicKeyCredential', OfBrowser);
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('navigator', { credentials: requests });
});
afterEach(() => vi.unstubAllGlobals());

test.each([
  ['admin.example.com', 'admin.example.com', 'here'],
  ['admin.example.com', 'localhost', 'elsewhere'],
  ['admin.example.com', 'www.admin.example.com', 'elsewhere'],
  ['localhost', '127.0.0.1', 'atName'],
  ['localhost', '[::1]', 'atName'],
  ['localhost', '192.0.2.7', 'unset'],
  ['localhost', 'admin.example.com', 'unset'],
  [null, 'localhost', 'nowhere'],
] as const)('the passkeys of %s are on a page at %s used %s', (site, hostname, use) => {
  expect(passkeyUse(site, { hostname })).toBe(use);
});

test('an insecure page or an old browser has no passkeys', () => {
  vi.stubGlobal('isSecureContext', false);
  expect(passkeyUse('localhost', { hostname: 'localhost' })).toBe('elsewhere');
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PublicKeyCredential', Object);
  expect(passkeyUse('localhost', { hostname: 'localhost' })).toBe('old');
});

test('the browser’s credential is sent as JSON', async () => {
  expect(await createPasskey(creation)).toEqual({ id: 'AQ' });
  expect(await askForPasskey(request)).toEqual({ id: 'AQ' });
  expect(requests.get.mock.calls[0]?.[0]).toMatchObject({ publicKey: { parsed: request } });
});

test.each([
  ['NotAllowedError', 'cancelled'],
  ['AbortError', 'cancelled'],
  ['InvalidStateError', 'registered'],
  ['SecurityError', 'failed'],
])('%s of the browser is reported as %s', async (name, failure) => {
  requests.create.mockRejectedValue(new DOMException('no', name));
  await expect(createPasskey(creation)).rejects.toMatchObject({ failure });
  requests.create.mockResolvedValue(null);
  await expect(createPasskey(creation)).rejects.toBeInstanceOf(PasskeyError);
});

test('a new request or a closed page aborts the pending one', async () => {
  const signals: AbortSignal[] = [];
  requests.get.mockImplementation(({ signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const first = askForPasskey(request);
  const second = askForPasskey(request);
  await expect(first).rejects.toMatchObject({ failure: 'cancelled' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  abortRequest();
  await expect(second).rejects.toMatchObject({ failure: 'cancelled' });
});
