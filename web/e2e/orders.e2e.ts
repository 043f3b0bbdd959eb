import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, Visitor } from './browser';
import { apiOf, type ApiRequest } from './pages';
import { admin, Service } from './service';

const li = { username: 'li', password: 'interlock-second' };
let browser: Browser;
let service: Service;
let request: ApiRequest;

interface Placed {
  id: number;
  orderNo: string;
}

beforeAll(async () => {
  browser = await launch();
  service = await Service.start();
  await service.command('user', 'create', li.username, '--display-name', 'Li', '--password', li.password);
  request = await apiOf(service.address, admin);
  await request('POST', '/items', { sku: 'TEA-1', name: 'Green tea', price: 6000 });
  await request('POST', '/inventory/TEA-1/adjustments', { delta: 1000, reason: 'Opening stock', reference: 'opening' });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

const place = () => request<Placed>('POST', '/orders', { userId: 12, items: [{ sku: 'TEA-1', quantity: 1 }] });

test('the loser of a race reads who won, when and what, and sees what is still allowed', async () => {
  const { id, orderNo } = await place();
  const first = await Visitor.open(browser, service.address);
  const second = await Visitor.open(browser, service.address);
  await first.signIn(admin, `/orders/${id}`);
  await second.signIn(li, `/orders/${id}`);
  await first.page.getByRole('button', { name: 'Cancel the order' }).click();
  await first.page.getByRole('textbox', { name: 'Reason' }).fill('The customer changed their mind.');
  await second.page.getByRole('button', { name: 'Mark as paid' }).click();
  await second.page.getByRole('textbox', { name: 'Reference' }).fill('PSP-1');
  await second.page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
  await second.page.getByText(`Order ${orderNo} is Paid.`).waitFor();

  await first.page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();

  await first.page.getByText(/Already paid by Li .*, ¥60\.00/).waitFor();
  await first.page.getByText('What is possible now: Ship.').waitFor();
  await first.page.getByRole('button', { name: 'Ship' }).waitFor();
  expect(await first.page.getByRole('button', { name: 'Cancel the order' }).count()).toBe(0);
  await first.page.getByText('marked it as paid').waitFor();
  await first.check();
  await first.shoot('orders-lost');
  await first.close();
  await second.close();
});

test('500 orders are shipped in one go, with a verdict each, and the filter is in the address', async () => {
  const ids: number[] = [];
  for (let i = 0; i < 500; i++) ids.push((await place()).id);
  await request('POST', '/order-batches', { action: 'pay', ids, method: 'external' });
  // The test before may have left a paid order too.
  const { total: paid } = await request<{ total: number }>('GET', '/orders?status=paid&limit=1');
  const visitor = await Visitor.open(browser, service.address);
  const { page } = visitor;
  await visitor.signIn(admin, '/orders');
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /^Paid/ }).click();
  await page.waitForURL(/status=paid/);
  await page.reload();
  await visitor.settle();
  await page.getByText(/1–50 of 50\d/).waitFor();
  await visitor.check();
  await visitor.shoot('orders-list');

  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('button', { name: /Choose all 50\d that match/ }).click();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Ship' }).click();
  await page.getByText(/50\d will be sent/).waitFor();
  // One of them goes elsewhere between preview and run.
  await request('POST', `/orders/${ids[0] ?? 0}/ship`, { carrier: 'UPS', trackingNo: '1' });
  await page.getByRole('textbox', { name: 'Carrier' }).fill('DHL');
  await page.getByRole('textbox', { name: 'Tracking number' }).fill('JD01');
  await page.getByRole('button', { name: /Ship: 50\d orders/ }).click();

  await page.getByText(/\d+ done, 1 not done/).waitFor({ timeout: 40_000 });
  await visitor.check();
  await visitor.shoot('orders-bulk');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Verdicts as CSV' }).click();
  expect((await saving).suggestedFilename()).toBe('orders-ship.csv');
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await request<{ total: number }>('GET', '/orders?status=shipped&limit=1')).toMatchObject({ total: paid });
  await visitor.close();
});
