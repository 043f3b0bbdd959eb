import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launch, Visitor } from './browser';
import { admin, Service } from './service';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

test('a session that ends at work is renewed in place, and the work goes on', async () => {
  const visitor = await Visitor.open(browser, inject('address'));
  const { page, context } = visitor;
  await visitor.signIn(admin, '/audit-log');
  await visitor.settle();
  await context.clearCookies();

  await page.getByPlaceholder('Who').fill('admin');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await visitor.check();
  await dialog.locator('input[name=password]').fill(admin.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();

  await dialog.waitFor({ state: 'hidden' });
  await visitor.settle();
  expect(await page.getByPlaceholder('Who').inputValue()).toBe('admin');
  expect(new URL(page.url()).searchParams.get('actor')).toBe('admin');
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('cell', { name: 'session.create' }).first().waitFor();
  await visitor.close();
});

test('signing out leads to the sign-in page, and back to the address that was asked for', async () => {
  const visitor = await Visitor.open(browser, inject('address'));
  const { page } = visitor;
  await visitor.signIn(admin, '/audit-log?actor=admin');
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.locator('input[name=password]').waitFor();

  await visitor.signIn(admin, page.url());

  expect(new URL(page.url()).pathname).toBe('/audit-log');
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await visitor.close();
});

test('a page that was opened while the service was away starts by itself when it is back', async () => {
  const service = await Service.start();
  const visitor = await Visitor.open(browser, service.address);
  await visitor.signIn();
  // The page itself comes from the cache of the browser, as after a restart.
  await visitor.page.route('**/api/v1/session', (route) => route.abort());
  await visitor.page.reload();
  await visitor.page.getByText('The service cannot be reached').waitFor();
  await visitor.check();
  await visitor.page.unroute('**/api/v1/session');

  await visitor.page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await visitor.close();
  await service.stop();
});

test('everything on a list can be reached by keyboard', async () => {
  const visitor = await Visitor.open(browser, inject('address'));
  const { page } = visitor;
  await visitor.signIn(admin, '/audit-log');
  await visitor.settle();

  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('#content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toContain('What');
  for (let i = 0; i < 4; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-index'))).toBe('1');

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('textbox').fill('dash');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await visitor.close();
});
