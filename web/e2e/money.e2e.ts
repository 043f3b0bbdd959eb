import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, Visitor } from './browser';
import { apiOf } from './pages';
import { admin, Service } from './service';

let browser: Browser;
let service: Service;
beforeAll(async () => {
  browser = await launch();
  service = await Service.start({ INTERLOCK_CURRENCY: 'JPY' });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

test('money is shown and typed in the currency that the service is set to, with as many decimals as that has', async () => {
  const request = await apiOf(service.address, admin);
  await request('POST', '/items', { sku: 'YEN-1', name: '急須', price: 6000 });
  const visitor = await Visitor.open(browser, service.address);
  const { page } = visitor;
  await visitor.signIn(admin, '/items');
  await page.getByText('¥6,000', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'YEN-1' }).click();
  const price = page.getByRole('textbox', { name: 'Price' });
  expect(await price.inputValue()).toBe('6000');

  await price.fill('6500.50');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await request('GET', '/items/YEN-1')).toMatchObject({ price: 6000, version: 1 });
  await price.fill('6500');
  await page.getByRole('button', { name: 'Save' }).click();

  await expect.poll(() => request('GET', '/items/YEN-1')).toMatchObject({ price: 6500, version: 2 });
  await visitor.check();
  await visitor.close();
});

test('the menu of the user names the tenant that one works in', async () => {
  await service.command('tenant', 'create', 'tea-house', '--admin-password', admin.password);
  const visitor = await Visitor.open(browser, service.address);
  const { page } = visitor;
  await page.goto('/');
  await page.getByRole('button', { name: /tenant/i }).click();
  await page.locator('input[name=tenant]').fill('tea-house');
  await visitor.fillIn(admin);
  // Another tab may sign in elsewhere; the session decides, not what this browser remembers.
  await page.evaluate(() => localStorage.setItem('interlock.tenant', 'elsewhere'));
  await page.reload();
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menu').getByText('Tenant tea-house').waitFor();
  await visitor.check();
  await visitor.close();
});
