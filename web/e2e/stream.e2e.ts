import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, Visitor } from './browser';
import { apiOf, itemInStock } from './pages';
import { admin, Service } from './service';

const li = { username: 'li', password: 'interlock-second' };
/** How soon a change shows to others, in ms; the median of several decides, for the machine is shared. */
const soon = 1000;
let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await launch();
  service = await Service.start();
  await service.command('user', 'create', li.username, '--display-name', 'Li', '--password', li.password);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

interface Placed {
  id: number;
  orderNo: string;
  etag: string;
}

/** How long until something shows after a change, in ms. */
async function shownAfter(change: () => Promise<unknown>, shown: Locator): Promise<number> {
  await change();
  const began = performance.now();
  await shown.waitFor();
  return performance.now() - began;
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

test('a change by one admin shows on the clean list and page of the other within a second', async () => {
  const request = await apiOf(service.address, li);
  await itemInStock(request, { sku: 'LIVE-1', name: 'Green tea', price: 6000 });
  const place = () => request<Placed>('POST', '/orders', { userId: 12, items: [{ sku: 'LIVE-1', quantity: 1 }] });
  const step = (order: Placed, action: string, body: object) => request<Placed>('POST', `/orders/${order.id}/${action}`, body, { 'If-Match': order.etag });
  const orders = await Promise.all([place(), place(), place(), place(), place()]);
  const list = await Visitor.open(browser, service.address);
  await list.signIn(admin, '/orders');
  await list.settle();
  await list.page.getByRole('status').getByText('Live', { exact: true }).waitFor();

  const onList: number[] = [];
  for (const order of orders) {
    const row = list.page.getByRole('row', { name: new RegExp(order.orderNo) });
    onList.push(await shownAfter(() => step(order, 'pay', { method: 'external' }), row.getByText('Paid')));
  }
  expect(median(onList), onList.join()).toBeLessThan(soon);

  let order = await place();
  await list.visit(`/orders/${order.id}`);
  await list.page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const onPage: number[] = [];
  for (const [action, body, status] of [
    ['pay', { method: 'external' }, 'Paid'],
    ['ship', { carrier: 'DHL', trackingNo: '1' }, 'Shipped'],
    ['complete', {}, 'Completed'],
  ] as const) {
    const shown = list.page.locator('header', { has: list.page.locator('h1') }).getByText(status, { exact: true });
    onPage.push(
      await shownAfter(async () => {
        order = await step(order, action, body);
      }, shown),
    );
  }
  expect(median(onPage), onPage.join()).toBeLessThan(soon);
  await list.page.getByText('completed it').waitFor();
  await list.check();
  await list.close();
});

test('the dashboard counts along with what others do, without being asked', async () => {
  const request = await apiOf(service.address, li);
  await itemInStock(request, { sku: 'LIVE-2', name: 'White tea', price: 6000 });
  const { total } = await request<{ total: number }>('GET', '/orders?status=pending&limit=1');
  const visitor = await Visitor.open(browser, service.address);
  const { page } = visitor;
  await visitor.signIn();
  const tile = page.getByRole('link', { name: /^To be paid/ });
  await tile.getByText(String(total), { exact: true }).waitFor();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();

  const { id } = await request<Placed>('POST', '/orders', { userId: 12, items: [{ sku: 'LIVE-2', quantity: 1 }] });

  await tile.getByText(String(total + 1), { exact: true }).waitFor({ timeout: 5000 });
  const change = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: `orders/${id}`, exact: true }) });
  expect(await change.innerText()).toMatch(/Li\s+created/);
  await visitor.check();
  await tile.click();
  await page.waitForURL(/\/orders\?status=pending$/);
  await visitor.close();
});

test('while the service is away the page says so and how old it is, and catches up by itself', async () => {
  const visitor = await Visitor.open(browser, service.address);
  const { page } = visitor;
  await visitor.signIn(admin, '/items');
  await visitor.settle();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();

  await service.pause();
  await page.getByRole('status').getByText(/^Reconnecting, .* old$/).waitFor();
  await page.getByText(/What you see may be .* old/).first().waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'LIVE-1' }).waitFor();
  await visitor.check();
  await visitor.shoot('stream-down');

  await service.run();
  const request = await apiOf(service.address, li);
  await request('POST', '/items', { sku: 'LIVE-3', name: 'Made while the page was not connected', price: 6000 });

  await page.getByRole('link', { name: 'LIVE-3' }).waitFor({ timeout: 45_000 });
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await visitor.check();
  await visitor.close();
});
