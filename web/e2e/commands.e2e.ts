import { itemInStock } from './pages';
import { admin } from './service';
import { expect, tenantSite, test } from './site';

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'CMD-1', name: 'Green tea', price: 6000 });
});

async function placeOrder(): Promise<{ id: number; orderNo: string }> {
  return site.request('POST', '/orders', { userId: '77', items: [{ sku: 'CMD-1', quantity: 1 }] });
}

test('the command bar finds and runs an action of the record', async () => {
  const { id, orderNo } = await placeOrder();
  const visitor = await site.enter(`/orders/${id}`);
  const { page } = visitor;
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and actions' }).fill('cancel');
  const act = page.getByRole('option', { name: `Cancel the order ${orderNo}` });
  await expect(act).toHaveAttribute('aria-selected', 'true');
  await visitor.check();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Cancel .*\d/ }).waitFor();
});

test('a record is created from any page', async () => {
  const { page } = await site.enter('/audit-log');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and actions' }).fill('new conf');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/configs');
  await page.getByRole('dialog', { name: 'New config' }).waitFor();
});

test('the command bar lists recent records and returns the focus', async () => {
  const { page } = await site.enter('/items/CMD-1');
  await page.getByRole('heading', { level: 1, name: 'CMD-1' }).waitFor();
  await page.goto(`${site.address}/orders`);
  const button = page.getByRole('button', { name: 'New order' }).first();
  await button.focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'CMD-1 Item' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect(button).toBeFocused();
});

test('g and a letter open a page, and a single key acts on the record, but not while the user types', async () => {
  const { id } = await placeOrder();
  const { page } = await site.enter('/items');
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  const search = page.getByRole('searchbox').first();
  await search.fill('');
  await search.press('g');
  await search.press('i');
  expect(await search.inputValue()).toBe('gi');
  await page.goto(`${site.address}/orders/${id}`);
  await page.getByRole('button', { name: 'Cancel the order' }).waitFor();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('region', { name: 'On this page' }).getByText('Cancel the order')).toBeVisible();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  await page.keyboard.press('x');
  await page.getByRole('dialog', { name: /^Cancel .*\d/ }).waitFor();
});

test('a user without the permission sees no action', async () => {
  await site.request('POST', '/roles', { name: 'reader', permissions: ['configs:read', 'orders:read'] });
  const reader = { username: 'reader', password: admin.password };
  await site.request('POST', '/users', { ...reader, displayName: 'Reader', roles: ['reader'] });
  const { page } = await site.enter('/configs', reader);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and actions' }).fill('new');
  await page.getByText('Nothing found for “new”').waitFor();
});
