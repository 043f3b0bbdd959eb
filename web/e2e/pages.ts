import type { Page } from '@playwright/test';

/**
 * A page, or a state of one, that has to be right in every look. The test finds the pages of the navigation; a feature
 * adds other pages and states as the default export of e2e/pages/<name>.ts.
 */
export interface PageUnderTest {
  name: string;
  /** A function where the address is known only after `prepare`. */
  path: string | (() => string);
  /** Creates the data of the page over the API, once. */
  prepare?: (request: ApiRequest) => Promise<void>;
  /** Brings the open page into the state: a dialog, a conflict. */
  reach?: (page: Page) => Promise<void>;
}

export type ApiRequest = <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<T>;

export interface Credentials {
  username: string;
  password: string;
  /** The default tenant where it is left out. */
  tenant?: string;
}

const send = (address: string, method: string, path: string, body: unknown, headers: Record<string, string>) =>
  fetch(`${address}/api/v1${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** Opens a session like the sign-in page; the cookies are pairs of a name and a value. */
export async function sessionOf(address: string, credentials: Credentials): Promise<{ csrfToken: string; cookies: string[] }> {
  const opened = await send(address, 'POST', '/session', credentials, {});
  if (!opened.ok) throw new Error(`sign in: ${await opened.text()}`);
  const { csrfToken } = (await opened.json()) as { csrfToken: string };
  return { csrfToken, cookies: opened.headers.getSetCookie().map((line) => line.split(';')[0] ?? '') };
}

/** Returns a function that calls the API as a user. */
export async function apiOf(address: string, credentials: Credentials): Promise<ApiRequest> {
  const { csrfToken, cookies } = await sessionOf(address, credentials);
  const cookie = cookies.join('; ');
  return async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await send(address, method, path, body, { Cookie: cookie, 'X-CSRF-Token': csrfToken, ...headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** Creates an item with enough stock for every order of a test. */
export async function itemInStock(request: ApiRequest, item: { sku: string; name: string; price: number }): Promise<void> {
  await request('POST', '/items', item);
  await request('POST', `/inventory/${item.sku}/adjustments`, { delta: 10_000, reason: 'Opening stock', reference: 'opening' });
}

/** Pays orders of a user from their wallet, after funding it. */
export async function payFromWallet(request: ApiRequest, userId: string, ids: readonly number[]): Promise<void> {
  await request('POST', `/wallets/${userId}/entries`, { amount: 1e8, kind: 'topup', reference: `orders from ${ids[0] ?? 0}` });
  await request('POST', '/order-batches', { action: 'pay', ids, method: 'wallet' });
}
