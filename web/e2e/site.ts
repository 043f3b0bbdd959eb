import { expect, test as base, type Browser } from '@playwright/test';
import { isNightly, Visitor, type Opening } from './browser';
import { apiOf, sessionOf, type ApiRequest, type Credentials } from './pages';
import { Proxy } from './proxy';
import { admin, Service } from './service';

/** The second admin of a site. */
export const li = { username: 'li', password: 'gravel-ten-umbrella' };

/** Each worker has one Chromium and starts at most one service and one proxy, which its files share. */
const test = base.extend<object, { service: Service; faultProxy: Proxy }>({
  service: [
    async ({}, use) => {
      const service = await Service.start();
      await use(service);
      await service.stop();
    },
    { scope: 'worker' },
  ],
  faultProxy: [
    async ({ service }, use) => {
      const proxy = await Proxy.before(service.address);
      await use(proxy);
      proxy.stop();
    },
    { scope: 'worker' },
  ],
});

/** Declares a test that only the nightly tier runs. */
// eslint-disable-next-line @typescript-eslint/unbound-method -- Playwright binds it
const nightly = isNightly ? test : test.skip;

export { expect, nightly, test };

/** A tenant with two admins for the tests of one file. Its fields are set before the tests run. */
export class Site {
  browser!: Browser;
  service!: Service;
  /** The name of the tenant; undefined for the default tenant. */
  tenant: string | undefined;
  /** Calls the API as the admin. */
  request!: ApiRequest;
  /** Calls the API as Li. */
  asLi!: ApiRequest;
  proxy: Proxy | undefined;
  readonly #visitors: Visitor[] = [];

  get address(): string {
    return this.service.address;
  }

  /** Sets the fields and creates Li. */
  async start(browser: Browser, service: Service, tenant?: string): Promise<void> {
    this.browser = browser;
    this.service = service;
    this.tenant = tenant;
    this.request = await this.as(admin);
    await this.request('POST', '/users', { ...li, displayName: 'Li', roles: ['admin'] });
    this.asLi = await this.as(li);
  }

  /** Returns a function that calls the API as a user of the tenant. */
  as(credentials: Credentials): Promise<ApiRequest> {
    return apiOf(this.address, { tenant: this.tenant, ...credentials });
  }

  /** Opens a browser that is not signed in. The visit ends with the test. */
  async open(opening: Partial<Opening> = {}): Promise<Visitor> {
    const visitor = await Visitor.open(this.browser, { address: this.address, tenant: this.tenant, ...opening });
    if (opening.withoutStream) await visitor.page.route('**/api/v1/events', (route) => route.abort());
    if (!opening.spansTests) this.#visitors.push(visitor);
    return visitor;
  }

  /** Opens a browser that has a session, on a page. */
  async enter(path: string, credentials: Credentials = admin, opening: Partial<Opening> = {}): Promise<Visitor> {
    const visitor = await this.open(opening);
    const url = opening.address ?? this.address;
    const { cookies } = await sessionOf(url, { tenant: this.tenant, ...credentials });
    await visitor.context.addCookies(
      cookies.map((pair) => {
        const [name = '', value = ''] = pair.split(/=(.*)/, 2);
        return { name, value, url, httpOnly: true, sameSite: 'Strict' as const };
      }),
    );
    await visitor.visit(path);
    return visitor;
  }

  /** Opens a browser of the admin behind the proxy, on a page. */
  async behindProxy(path: string, opening: Partial<Opening> = {}): Promise<{ visitor: Visitor; proxy: Proxy }> {
    const { proxy } = this;
    if (proxy === undefined) throw new Error('only sites of `tenantSite` have a proxy');
    proxy.reset();
    return { visitor: await this.enter(path, admin, { address: proxy.address, ...opening }), proxy };
  }

  /** Opens a browser of the admin and one of Li, on one page. */
  async two(path: string): Promise<[Visitor, Visitor]> {
    return [await this.enter(path), await this.enter(path, li)];
  }

  /** Buys in a flash sale for a customer, like the shop; returns the response body. */
  async buy(sale: number, customer: number | string, quantity = 1): Promise<{ status: string; code?: string; ticket: string }> {
    this.#shop ??= await this.token('shop', 'customers:impersonate');
    const response = await fetch(`${this.address}/api/v1/flash-sales/${sale}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.#shop}`, 'X-On-Behalf-Of': String(customer) },
      body: JSON.stringify({ quantity }),
    });
    return (await response.json()) as { status: string; code?: string; ticket: string };
  }

  #shop: string | undefined;

  /** Creates an API token of the admin. */
  async token(name: string, scope: string): Promise<string> {
    return (await this.request<{ token: string }>('POST', '/tokens', { name, scopes: [scope] })).token;
  }

  /** Ends all visits of a test. */
  async closeVisits(): Promise<void> {
    for (const visitor of this.#visitors.splice(0)) await visitor.close();
  }
}

/** Creates for the calling file a new tenant on the service of the worker. `prepare` creates the data that its tests share. */
export function tenantSite(prepare: (site: Site) => Promise<unknown> = () => Promise.resolve()): Site {
  const site = new Site();
  test.beforeAll(async ({ browser, service, faultProxy }) => {
    site.proxy = faultProxy;
    await site.start(browser, service, await service.createTenant());
    await prepare(site);
  });
  test.afterEach(() => site.closeVisits());
  return site;
}

/** Starts a service for the calling file, for tests that restart it, set it up or see all of its tenants. */
export function serviceSite(prepare: (site: Site) => Promise<unknown> = () => Promise.resolve(), settings: () => NodeJS.ProcessEnv = () => ({})): Site {
  const site = new Site();
  test.beforeAll(async ({ browser }) => {
    await site.start(browser, await Service.start(settings()));
    await prepare(site);
  });
  test.afterEach(() => site.closeVisits());
  test.afterAll(() => site.service.stop());
  return site;
}
