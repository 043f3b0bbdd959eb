import type { BrowserContext, CDPSession } from '@playwright/test';
import { itemInStock } from './pages';
import { expect, nightly, tenantSite, test } from './site';

/** The maximum transfer size of a cold load up to the first page, in bytes, without fonts, which delay nothing. */
const budget = 278_000;
/** A link of 4 Mbit/s each way and 50 ms. */
const link = { offline: false, latency: 50, downloadThroughput: 500_000, uploadThroughput: 500_000 };
/** The maximum additional time over the slow link, in ms: a machine that needs 0.8 s without it is done within 2 s. */
const added = 1200;
const soon = 2000;
/** Rounds alternate with and without the link, so that other load on the machine affects both. */
const rounds = 3;

type Cookie = Awaited<ReturnType<BrowserContext['cookies']>>[number];

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'LOAD-1', name: 'Green tea', price: 6000 });
  for (let i = 0; i < 60; i++) await site.request('POST', '/orders', { userId: i, items: [{ sku: 'LOAD-1', quantity: 1 }] });
});

/** Counts the transferred bytes of every reply except fonts, including headers. */
function counted(client: CDPSession): () => number {
  const fonts = new Set<string>();
  let bytes = 0;
  client.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Font') fonts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!fonts.has(requestId)) bytes += encodedDataLength;
  });
  return () => bytes;
}

interface Load {
  bytes: number;
  ms: number;
}

/** Until it is moved, the pointer is in the upper left corner, on the logo, whose page would be prefetched. */
function ignoreUnmovedPointer() {
  const ignore = (event: MouseEvent) => {
    if (event.clientX === 0 && event.clientY === 0) event.stopImmediatePropagation();
  };
  for (const type of ['pointerover', 'mouseover'] as const) window.addEventListener(type, ignore, true);
}

/** Loads the orders with an empty cache and a session, until the page reacts to input. */
async function load(cookies: Cookie[], over: typeof link | undefined): Promise<Load> {
  const context = await site.browser.newContext({ baseURL: site.address, storageState: { cookies, origins: [] } });
  const page = await context.newPage();
  await page.addInitScript(ignoreUnmovedPointer);
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  if (over !== undefined) await client.send('Network.emulateNetworkConditions', over);
  const bytes = counted(client);
  const from = Date.now();
  await page.goto('/orders', { waitUntil: 'commit' });
  await page.getByRole('row').nth(50).waitFor();
  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('region', { name: 'Chosen rows' }).getByText('50 chosen').waitFor();
  const ms = Date.now() - from;
  // Prefetched chunks count too.
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await context.close();
  return { bytes: bytes(), ms };
}

const best = (loads: readonly Load[]) => Math.min(...loads.map(({ ms }) => ms));

async function signedIn(): Promise<Cookie[]> {
  const visitor = await site.enter('/orders');
  return (await visitor.context.storageState()).cookies;
}

test('the first page transfers few bytes', async () => {
  const cookies = await signedIn();
  const { bytes } = await load(cookies, undefined);
  console.info(`cold load of /orders: ${Math.round(bytes / 1000)} KB`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(budget);
});

test('the session is requested once, before the program is loaded', async () => {
  const { page } = await site.enter('/orders');
  const sent: boolean[] = [];
  page.on('request', (request) => {
    // The program adds the header to each of its requests.
    if (new URL(request.url()).pathname === '/api/v1/session') sent.push('x-request-id' in request.headers());
  });
  await page.reload();
  await page.getByRole('row').nth(50).waitFor();
  expect(sent).toEqual([false]);
});

test('the sign-in page loads no other page', async () => {
  const { page } = await site.open({ isolated: true });
  const scripts: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) scripts.push(pathname.replace(/-[^-]*\.js$/, '.js'));
  });
  await page.goto('/orders');
  await page.locator('input[name=password]').waitFor();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  expect(scripts.toSorted()).toEqual(['/assets/index.js', '/start.js']);
});

nightly('the orders page is usable quickly over a slow link', async () => {
  const cookies = await signedIn();
  const near: Load[] = [];
  const far: Load[] = [];
  for (let i = 0; i < rounds; i++) {
    near.push(await load(cookies, undefined));
    far.push(await load(cookies, link));
  }
  console.info(`cold loads of /orders: ${best(near)} ms, over the link ${best(far)} ms`);
  expect(best(far)).toBeLessThanOrEqual(Math.max(soon, best(near) + added));
});
