import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launch, Visitor } from './browser';
import { apiOf, sessionOf, type ApiRequest, type Credentials } from './pages';
import { Proxy } from './proxy';
import { admin, Service } from './service';

/** The second admin of a site. */
export const li = { username: 'li', password: 'gravel-ten-umbrella' };

/** What a file of flows works on; its members are there once its tests run. */
export interface Site {
  readonly browser: Browser;
  readonly service: Service;
  /** Calls the API as the admin, and as Li. */
  readonly request: ApiRequest;
  readonly asLi: ApiRequest;
  /** Opens a browser of somebody who is not signed in yet. */
  open: () => Promise<Visitor>;
  /**
   * Opens a browser of somebody who signed in before, on a page. One that is deaf has no stream:
   * nothing is heard of others before one's own step is refused.
   */
  enter: (path: string, credentials?: Credentials, deaf?: boolean) => Promise<Visitor>;
  /** The same for the admin, with a proxy before the service. */
  behindProxy: (path: string) => Promise<{ visitor: Visitor; proxy: Proxy }>;
  /** The admin and Li, each in a browser of their own, on one page. */
  two: (path: string) => Promise<[Visitor, Visitor]>;
}

/** Opens a page for who has a session already. */
async function arrive(visitor: Visitor, address: string, path: string, credentials: Credentials): Promise<void> {
  const { cookies } = await sessionOf(address, credentials);
  await visitor.context.addCookies(
    cookies.map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/, 2);
      return { name, value, url: address, httpOnly: true, sameSite: 'Strict' as const };
    }),
  );
  await visitor.visit(path);
}

/**
 * Gives the file that calls it a browser and a service of its own, with two admins,
 * so that files may run beside each other. `prepare` makes what its tests share; the service has further
 * settings of its environment.
 */
export function ownSite(prepare: () => Promise<void> = () => Promise.resolve(), settings: NodeJS.ProcessEnv = {}): Site {
  const parts: { browser?: Browser; service?: Service; request?: ApiRequest; asLi?: ApiRequest } = {};
  const part = <Name extends keyof typeof parts>(name: Name) => {
    const value = parts[name];
    if (value === undefined) throw new Error(`the site has no ${name} before its tests run`);
    return value;
  };
  const site: Site = {
    get browser() {
      return part('browser');
    },
    get service() {
      return part('service');
    },
    get request() {
      return part('request');
    },
    get asLi() {
      return part('asLi');
    },
    open: () => Visitor.open(site.browser, site.service.address),
    enter: async (path, credentials = admin, deaf = false) => {
      const visitor = await site.open();
      if (deaf) await visitor.page.route('**/api/v1/events?*', (route) => route.abort());
      await arrive(visitor, site.service.address, path, credentials);
      return visitor;
    },
    behindProxy: async (path) => {
      const proxy = await Proxy.before(site.service.address);
      const visitor = await Visitor.open(site.browser, proxy.address);
      await arrive(visitor, proxy.address, path, admin);
      return { visitor, proxy };
    },
    two: async (path) => [await site.enter(path), await site.enter(path, li)],
  };

  beforeAll(async () => {
    parts.browser = await launch();
    parts.service = await Service.start(settings);
    await parts.service.command('user', 'create', li.username, '--display-name', 'Li', '--password', li.password);
    parts.request = await apiOf(parts.service.address, admin);
    parts.asLi = await apiOf(parts.service.address, li);
    await prepare();
  });
  afterAll(async () => {
    await parts.browser?.close();
    await parts.service?.stop();
  });
  return site;
}
