import type { Page } from '@playwright/test';
import { itemInStock, payFromWallet } from './pages';
import { admin } from './service';
import { expect, li, nightly, tenantSite, test } from './site';

/** The name of another tenant. */
let elsewhere: string;

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'TABS-1', name: 'Green tea', price: 6000 });
  elsewhere = await site.service.createTenant();
});

const isLive = (page: Page) => page.getByRole('status').getByText('Live', { exact: true }).waitFor();
const tenantOf = (page: Page) => page.locator('header').getByTitle(/^Tenant /);

/** Makes a page report that it is hidden; a headless browser reports all pages as visible. */
async function hide(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => (sessionStorage.getItem('e2e.shown') === null ? 'hidden' : 'visible') });
    Object.defineProperty(document, 'hidden', { get: () => document.visibilityState === 'hidden' });
  });
}

async function turn(page: Page, shown: boolean): Promise<void> {
  await page.evaluate((is) => {
    if (is) sessionStorage.setItem('e2e.shown', '');
    else sessionStorage.removeItem('e2e.shown');
    document.dispatchEvent(new Event('visibilitychange'));
  }, shown);
}

test('eight tabs share one stream and receive all changes', async () => {
  const { visitor, proxy } = await site.behindProxy('/items');
  const pages = [visitor.page];
  for (let i = 1; i < 8; i++) {
    const page = await visitor.context.newPage();
    pages.push(page);
    await page.goto('/items');
    await page.getByRole('link', { name: 'TABS-1' }).waitFor();
  }
  await expect.poll(() => proxy.streams).toBe(1);

  await site.asLi('POST', '/items', { sku: 'TABS-2', name: 'Made while eight looked', price: 6000 });

  await Promise.all(pages.map((page) => page.getByRole('link', { name: 'TABS-2' }).waitFor()));
  await Promise.all(pages.map(isLive));
  expect(proxy.streams).toBe(1);

  // The tab with the stream closes; another one connects, and no event is lost.
  await visitor.page.close();
  await site.asLi('POST', '/items', { sku: 'TABS-3', name: 'Made while the stream changed hands', price: 6000 });
  await Promise.all(pages.slice(1).map((page) => page.getByRole('link', { name: 'TABS-3' }).waitFor()));
  await expect.poll(() => proxy.streams).toBe(1);
});

test('a background tab has no stream and catches up when visible', async () => {
  const { visitor, proxy } = await site.behindProxy('/items', { isolated: true });
  await isLive(visitor.page);
  const behind = await visitor.context.newPage();
  await behind.clock.install();
  await hide(behind);
  await behind.goto('/items');
  await behind.getByRole('link', { name: 'TABS-1' }).waitFor();
  await visitor.page.close();

  await expect.poll(() => proxy.streams).toBe(0);
  await site.asLi('POST', '/items', { sku: 'TABS-4', name: 'Made while nobody looked', price: 6000 });
  await turn(behind, true);
  await behind.getByRole('link', { name: 'TABS-4' }).waitFor();
  await expect.poll(() => proxy.streams).toBe(1);
  await turn(behind, false);
  // A hidden tab releases the stream after 20 seconds.
  await behind.clock.fastForward(21_000);
  await expect.poll(() => proxy.streams).toBe(0);
});

nightly('an open list sends at most 30 requests while 200 orders are shipped', async () => {
  const ids: number[] = [];
  for (let i = 0; i < 200; i += 10) {
    const placed = await Promise.all(
      Array.from({ length: 10 }, () => site.asLi<{ id: number }>('POST', '/orders', { userId: 7, items: [{ sku: 'TABS-1', quantity: 1 }] })),
    );
    ids.push(...placed.map(({ id }) => id));
  }
  const batch = (body: object, from: number) => site.asLi('POST', '/order-batches', { ...body, ids: ids.slice(from, from + 20) });
  for (let from = 0; from < 200; from += 20) await payFromWallet(site.asLi, '7', ids.slice(from, from + 20));
  const { visitor, proxy } = await site.behindProxy('/orders?status=shipped');
  await isLive(visitor.page);
  const requests = () => proxy.count('GET', /^\/api\/(?!v1\/events)/);
  await visitor.settle();
  const before = requests();

  for (let from = 0; from < 200; from += 20) await batch({ action: 'ship', carrier: 'DHL', trackingNo: 'JD01' }, from);
  await visitor.page.getByText('1–50 of 200').waitFor();
  await visitor.page.getByRole('button', { name: /^Shipped 200/ }).waitFor();

  expect(requests() - before).toBeLessThanOrEqual(30);
});

nightly('heartbeats stop without a session and do not burst afterwards', async () => {
  await site.request('POST', '/configs', { key: 'beat.one', value: 1 });
  const { visitor, proxy } = await site.behindProxy('/configs', { isolated: true });
  const { page, context } = visitor;
  await page.clock.install();
  await visitor.visit('/configs/beat.one');
  await context.clearCookies();
  const beats = () => proxy.count('POST', /\/presence$/);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect
    .poll(async () => {
      await page.clock.runFor(5_000);
      return dialog.isVisible();
    })
    .toBe(true);
  const whenItEnded = beats();
  for (let i = 0; i < 12; i++) await page.clock.runFor(5_000);
  expect(beats() - whenItEnded).toBeLessThanOrEqual(1);

  await dialog.locator('input[name=password]').fill(admin.password);
  const before = beats();
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.clock.runFor(5_000);
  await expect.poll(beats).toBeGreaterThan(before);
  expect(beats() - before).toBeLessThanOrEqual(3);
});

test('a tab detects a sign-in to another tenant', async () => {
  const { visitor } = await site.behindProxy('/items');
  const { page, context } = visitor;
  await page.getByRole('link', { name: 'TABS-1' }).waitFor();
  expect(await tenantOf(page).innerText()).toBe(site.tenant);
  const other = await context.newPage();
  await other.goto('/items');
  await other.getByRole('button', { name: /Signed in as/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.locator('input[name=tenant]').fill(elsewhere);
  await other.locator('input[name=username]').fill(admin.username);
  await other.locator('input[name=password]').fill(admin.password);
  await other.locator('button[type=submit]').click();
  await other.getByText('Nothing here yet').or(other.getByText('No items yet')).first().waitFor();

  await page.bringToFront();

  await expect.poll(() => tenantOf(page).innerText()).toBe(elsewhere);
  await page.getByText(/Another tab signed in/).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'TABS-1' }).count()).toBe(0);
  await visitor.check();
});

test('a language choice applies to all tabs and preserves input', async () => {
  const { visitor } = await site.behindProxy('/items/TABS-1');
  const { page, context } = visitor;
  await page.getByRole('textbox', { name: 'Name' }).fill('Green tea, half typed');
  const other = await context.newPage();
  await other.goto('/items');
  await other.getByRole('button', { name: /^中/ }).click();
  await other.getByRole('heading', { level: 1, name: '商品' }).waitFor();

  await page.getByRole('textbox', { name: '名称' }).waitFor();
  expect(await page.getByRole('textbox', { name: '名称' }).inputValue()).toBe('Green tea, half typed');
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
  await page.getByRole('button', { name: /^EN/ }).click();
  await other.getByRole('heading', { level: 1, name: 'Items' }).waitFor();
  await visitor.check();
});

test('the sign-in dialog proposes the tenant, which can be changed', async () => {
  const { visitor } = await site.behindProxy('/items');
  const { page, context } = visitor;
  // Another tab has signed in to another tenant since then.
  await page.evaluate(() => localStorage.setItem('interlock.tenant', 'elsewhere'));
  await context.clearCookies();
  await page.getByRole('searchbox', { name: 'Search' }).fill('TABS-1');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  const tenant = dialog.locator('input[name=tenant]');
  expect(await tenant.inputValue()).toBe(site.tenant);
  await visitor.check();

  await tenant.fill(elsewhere);
  await dialog.locator('input[name=password]').fill(admin.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect.poll(() => tenantOf(page).innerText()).toBe(elsewhere);
});

test('a new version reloads the tab once and preserves input', async () => {
  const { visitor, proxy } = await site.behindProxy('/items', { isolated: true });
  const { page } = visitor;
  // The page has an older version that is no longer deployed; everything that loads later is new.
  proxy.rule(({ path }) => (path === '/items/TABS-1' ? { rewrite: (html) => html.replace(/(name="build" content=")/, '$1older-') } : undefined));
  await page.goto('/items/TABS-1');
  await page.getByRole('textbox', { name: 'Name' }).fill('Green tea, first flush');
  // The old page shows no error about missing chunks while the new one loads.
  await page.evaluate(() => {
    const look = () => {
      if (document.body.innerText.includes('Something went wrong on this page')) console.error('the old page shows that it is broken');
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  let isNew = false;
  proxy.rule(async ({ path }) => {
    if (path === '/configs') {
      isNew = true;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    return path.startsWith('/assets/') && !isNew ? { instead: 404 } : undefined;
  });

  await page.getByRole('link', { name: 'Configs' }).click();

  await page.getByRole('heading', { level: 1, name: 'Configs' }).waitFor();
  await page.getByText('The admin was updated to a new version').waitFor();
  expect(proxy.count('GET', /^\/configs$/)).toBe(1);
  await page.goto('/items/TABS-1');
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Green tea, first flush');
  await visitor.check();
});

nightly('missing files do not reload a tab forever', async () => {
  const { visitor, proxy } = await site.behindProxy('/items', { isolated: true });
  const { page } = visitor;
  proxy.rule(({ path }) => (path.startsWith('/assets/configs-') ? { instead: 404 } : undefined));
  // The router may request the same reload; both count as one.
  let loads = 0;
  page.on('load', () => loads++);
  await page.getByRole('link', { name: 'Configs' }).click();
  await page.getByText('Part of this page did not load').waitFor();
  expect(loads).toBe(1);
  await visitor.abandon();
});

test('a clean tab never uses the draft of another tab', async () => {
  await site.request('POST', '/items', { sku: 'TWICE-1', name: 'Black tea', price: 5000 });
  const { visitor } = await site.behindProxy('/items/TWICE-1');
  const { page: typing, context } = visitor;
  const clean = await context.newPage();
  await clean.goto('/items/TWICE-1');
  await clean.getByRole('textbox', { name: 'Name' }).waitFor();
  await isLive(clean);
  await typing.getByRole('textbox', { name: 'Name' }).fill('Black tea, aged in oak');
  const { etag } = await site.asLi<{ etag: string }>('GET', '/items/TWICE-1');
  await site.asLi('PATCH', '/items/TWICE-1', { price: 5500 }, { 'If-Match': etag });
  await expect.poll(() => clean.getByRole('textbox', { name: 'Price' }).inputValue()).toBe('55.00');
  await typing.getByText(/Li saved v2 .* while you were editing v1/).waitFor();

  await typing.close();
  await clean.close();
  const again = await context.newPage();
  await again.goto('/items/TWICE-1');
  await again.getByText(/Restored from your draft of/).waitFor();
  expect(await again.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Black tea, aged in oak');
});

nightly('drafts are listed and deleted at sign-out; full storage is reported', async () => {
  const { visitor } = await site.behindProxy('/items/TABS-1');
  const { page } = visitor;
  await page.getByRole('textbox', { name: 'Name' }).fill('Green tea, kept');
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: /My drafts/ }).click();
  const list = page.getByRole('dialog', { name: 'My drafts' });
  await list.getByRole('link', { name: /TABS-1/ }).waitFor();
  await visitor.check();
  await list.getByRole('link', { name: /TABS-1/ }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Green tea, kept');

  await page.evaluate(() => {
    for (let size = 1 << 20; size > 8; size >>= 1) {
      try {
        for (let i = 0; ; i++) localStorage.setItem(`filler-${size}-${i}`, 'x'.repeat(size));
      } catch {
        // Storage is full for entries of this size.
      }
    }
  });
  await page.getByRole('textbox', { name: 'Name' }).fill('Green tea, with a name that does not fit in any more');
  await page
    .getByText(/Drafts cannot be stored/)
    .first()
    .waitFor();
  await visitor.check();
  await page.evaluate(() => Object.keys(localStorage).forEach((name) => name.startsWith('filler-') && localStorage.removeItem(name)));

  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.locator('input[name=password]').waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('draft')))).toEqual([]);
});

test('a user does not see the drafts of another user', async () => {
  const { visitor } = await site.behindProxy('/items/TABS-1');
  const { page, context } = visitor;
  await page.getByRole('textbox', { name: 'Name' }).fill('Typed by the admin');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByRole('button', { name: 'Sign in as another user' }).click();
  await page.locator('input[name=username]').fill(li.username);
  await page.locator('input[name=password]').fill(li.password);
  await page.locator('button[type=submit]').click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Green tea');
});
