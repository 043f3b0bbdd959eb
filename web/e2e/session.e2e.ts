import type { BrowserContext, Page } from '@playwright/test';
import { itemInStock } from './pages';
import { admin } from './service';
import { expect, tenantSite, test } from './site';

const site = tenantSite();

test('an ended session is renewed and the work continues', async () => {
  const visitor = await site.enter('/audit-log');
  const { page, context } = visitor;
  await context.clearCookies();

  await page.getByPlaceholder('User').fill('admin');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await visitor.check();
  await dialog.locator('input[name=password]').fill(admin.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();

  await dialog.waitFor({ state: 'hidden' });
  await visitor.settle();
  expect(await page.getByPlaceholder('User').inputValue()).toBe('admin');
  expect(new URL(page.url()).searchParams.get('actor')).toBe('admin');
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('cell', { name: 'signed in' }).first().waitFor();
});

test('an open dialog survives a session end and is sent', async () => {
  await itemInStock(site.request, { sku: 'SESSION-1', name: 'Green tea', price: 6000 });
  const visitor = await site.enter('/orders');
  const { page, context } = visitor;
  await page.getByRole('button', { name: 'New order' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New order' });
  await dialog.getByRole('textbox', { name: 'User id' }).fill('501');
  await dialog.getByRole('combobox', { name: 'Item 1' }).fill('SESSION-1');
  await dialog.getByLabel('Quantity 1').fill('3');
  await context.clearCookies();

  await dialog.getByRole('button', { name: 'Place the order' }).click();
  const gate = page.getByRole('dialog', { name: 'Your session has ended' });
  await gate.waitFor();
  expect(await dialog.getByLabel('Quantity 1').inputValue()).toBe('3');
  await gate.locator('input[name=password]').fill(admin.password);
  await gate.getByRole('button', { name: 'Sign in', exact: true }).click();

  await page.getByText(/Order .* was placed\./).waitFor();
  expect(await site.request('GET', '/orders?userId=501')).toMatchObject({ total: 1, items: [{ items: [{ sku: 'SESSION-1', quantity: 3 }] }] });
});

test('an open form survives a session end and is saved', async () => {
  await site.request('POST', '/items', { sku: 'SESSION-2', name: 'Black tea', price: 6000 });
  const visitor = await site.enter('/items/SESSION-2');
  const { page, context } = visitor;
  await page.getByRole('textbox', { name: 'Price' }).fill('65.00');
  await context.clearCookies();

  // One event: the dialog, which another request can open, must not come between press and release.
  await page.getByRole('button', { name: 'Save' }).evaluate((button: HTMLElement) => button.click());
  const gate = page.getByRole('dialog', { name: 'Your session has ended' });
  await gate.locator('input[name=password]').fill(admin.password);
  await gate.getByRole('button', { name: 'Sign in', exact: true }).click();

  await expect.poll(() => site.request('GET', '/items/SESSION-2')).toMatchObject({ price: 6500, name: 'Black tea', version: 2 });
});

test('input of a form and a dialog survives a crash', async () => {
  await site.request('POST', '/items', { sku: 'CRASH-1', name: 'Black tea', price: 6000 });
  const visitor = await site.enter('/items/CRASH-1');
  const { page, context } = visitor;
  await page.getByRole('textbox', { name: 'Name' }).fill('Black tea, first flush');
  await crash(context, page);

  const second = await context.newPage();
  await second.goto('/items/CRASH-1');
  await second.getByText(/Restored from your draft of/).waitFor();
  expect(await second.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Black tea, first flush');
  await second.goto('/orders');
  await second.getByRole('button', { name: 'New order' }).first().click();
  await second.getByRole('dialog').getByRole('textbox', { name: 'User id' }).fill('777');
  await second.getByRole('dialog').getByRole('combobox', { name: 'Item 1' }).fill('CRASH-1');
  await crash(context, second);

  const third = await context.newPage();
  await third.goto('/orders');
  await third.getByRole('button', { name: 'New order' }).first().click();
  await third.getByText(/Restored from your draft of/).waitFor();
  expect(await third.getByRole('dialog').getByRole('textbox', { name: 'User id' }).inputValue()).toBe('777');
  expect(await third.getByRole('dialog').getByRole('combobox', { name: 'Item 1' }).inputValue()).toBe('CRASH-1');
  expect(await site.request('GET', '/items/CRASH-1')).toMatchObject({ name: 'Black tea', version: 1 });
});

/** Kills the renderer process of a page, like running out of memory. */
async function crash(context: BrowserContext, page: Page): Promise<void> {
  const gone = page.waitForEvent('crash');
  const session = await context.newCDPSession(page);
  // The crashed page sends no reply.
  void session.send('Page.crash').catch(() => undefined);
  await gone;
}

test('sign-in after a sign-out returns to the requested page', async () => {
  const visitor = await site.enter('/audit-log?actor=admin');
  const { page } = visitor;
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.locator('input[name=password]').waitFor();

  await visitor.signIn(admin, page.url());

  expect(new URL(page.url()).pathname).toBe('/audit-log');
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
});

test('a page opened during an outage starts when the service returns', async () => {
  const visitor = await site.enter('/');
  await visitor.page.route('**/api/v1/session', (route) => route.abort());
  await visitor.page.reload();
  await visitor.page.getByText('The service cannot be reached').waitFor();
  await visitor.check();
  await visitor.page.unroute('**/api/v1/session');

  await visitor.page.getByRole('heading', { name: 'Dashboard' }).waitFor();
});

test('every control of a list is reachable by keyboard', async () => {
  const visitor = await site.enter('/audit-log');
  const { page } = visitor;

  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('#content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toContain('Record');
  // A date input has three tab stops, or as many as its language has.
  const row = () => page.evaluate(() => document.activeElement?.getAttribute('data-index'));
  for (let i = 0; i < 20 && (await row()) !== '0'; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  expect(await row()).toBe('1');

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('dash');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
});
