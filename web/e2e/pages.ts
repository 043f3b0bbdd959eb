import type { Page } from 'playwright-core';

/**
 * A page, or a state of one, that has to be right in every look. Pages of the
 * navigation are found by themselves; a feature adds the others as the default
 * export of e2e/pages/<name>.ts.
 */
export interface PageUnderTest {
  name: string;
  /** A function where the address is known only once `prepare` has made the page. */
  path: string | (() => string);
  /** Makes what the page shows, over the API; called once, before all looks. */
  prepare?: (request: ApiRequest) => Promise<void>;
  /** Leads from the open page to the state that is meant: a dialog, a conflict. */
  reach?: (page: Page) => Promise<void>;
}

export type ApiRequest = <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<T>;

const modules = import.meta.glob<PageUnderTest | PageUnderTest[]>('./pages/*.ts', { import: 'default', eager: true });

/** Two halves of the pages, about equally long. Those of one file stay together: what one does to the shop, another shows. */
export const halves: readonly [PageUnderTest[], PageUnderTest[]] = [[], []];

for (const pages of Object.values(modules)
  .map((module) => [module].flat())
  .toSorted((a, b) => b.length - a.length)) {
  const [first, second] = halves;
  (second.length < first.length ? second : first).push(...pages);
}

export const addressOf = (path: PageUnderTest['path']): string => (typeof path === 'string' ? path : path());

export interface Credentials {
  username: string;
  password: string;
}

const send = (address: string, method: string, path: string, body: unknown, headers: Record<string, string>) =>
  fetch(`${address}/api/v1${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** Opens a session as the sign-in page does; the cookies are pairs of a name and a value. */
export async function sessionOf(address: string, credentials: Credentials): Promise<{ csrfToken: string; cookies: string[] }> {
  const opened = await send(address, 'POST', '/session', credentials, {});
  if (!opened.ok) throw new Error(`sign in: ${await opened.text()}`);
  const { csrfToken } = (await opened.json()) as { csrfToken: string };
  return { csrfToken, cookies: opened.headers.getSetCookie().map((line) => line.split(';')[0] ?? '') };
}

/** Calls the API as somebody. */
export async function apiOf(address: string, credentials: Credentials): Promise<ApiRequest> {
  const { csrfToken, cookies } = await sessionOf(address, credentials);
  const cookie = cookies.join('; ');
  return async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await send(address, method, path, body, { Cookie: cookie, 'X-CSRF-Token': csrfToken, ...headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** Makes an item of which there is enough for every order of a test. */
export async function itemInStock(request: ApiRequest, item: { sku: string; name: string; price: number }): Promise<void> {
  await request('POST', '/items', item);
  await request('POST', `/inventory/${item.sku}/adjustments`, { delta: 10_000, reason: 'Opening stock', reference: 'opening' });
}
