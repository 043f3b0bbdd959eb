import { itemInStock } from './pages';
import { expect, tenantSite, test } from './site';

const site = tenantSite(async () => {
  for (const sku of ['CALM-1', 'CALM-2', 'CALM-3']) await itemInStock(site.request, { sku, name: `Tea ${sku}`, price: 6000 });
  await site.request('POST', '/configs', { key: 'calm.note', value: 'x', valueType: 'string', remark: 'a note' });
});

test('selecting a row moves nothing', async () => {
  const { page } = await site.enter('/items');
  const row = page.locator('tbody tr').first();
  await row.waitFor();
  await page.evaluate(() => {
    const shifts = window as unknown as { shifted: number };
    shifts.shifted = 0;
    new PerformanceObserver((list) => {
      // The shifts after input count too: the pointer is on the row.
      for (const entry of list.getEntries()) shifts.shifted += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift' });
  });
  const before = await row.boundingBox();
  await row.getByRole('checkbox').check();
  await page.getByRole('region', { name: 'Chosen rows' }).waitFor();
  expect(await row.boundingBox()).toEqual(before);
  expect(await page.evaluate(() => (window as unknown as { shifted: number }).shifted)).toBeLessThan(0.02);
});

test('a closed dialog returns the focus to its button', async () => {
  const { page } = await site.enter('/users');
  const button = page.getByRole('button', { name: 'New user' }).first();
  await button.click();
  await page.getByRole('dialog').getByLabel('Username').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect(button).toBeFocused();
});

test('a closed drawer returns the focus to its row', async () => {
  const { page } = await site.enter('/audit-log');
  const row = page.locator('tbody tr').first();
  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Audit entry' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect(row).toBeFocused();
});

test('the buttons of long forms are in view', async () => {
  const { page } = await site.enter('/configs/calm.note');
  await expect(page.getByRole('button', { name: /^Save/ })).toBeInViewport({ ratio: 1 });
  await page.goto(`${site.address}/roles`);
  await page.getByRole('button', { name: 'New role' }).first().click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Create the role' })).toBeInViewport({ ratio: 1 });
});

test('a save by another user moves neither the fields nor the buttons', async () => {
  const { page } = await site.enter('/configs/calm.note');
  const remark = page.getByRole('textbox', { name: 'Remark' });
  await remark.fill('my note');
  const save = page.getByRole('button', { name: /^Save/ });
  const before = [await remark.boundingBox(), await save.boundingBox()];
  const { etag } = await site.request<{ etag: string }>('GET', '/configs/calm.note');
  await site.asLi('PATCH', '/configs/calm.note', { value: 'y' }, { 'If-Match': etag });
  await page.getByText(/Li saved v2 .* while you were editing v1/).waitFor();
  const now = [await remark.boundingBox(), await save.boundingBox()];
  expect(now.map((box) => box?.y)).toEqual(before.map((box) => box?.y));
});

test('a bulk change needs a value', async () => {
  const { page } = await site.enter('/configs');
  await page.locator('tbody tr').first().getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Change or delete…' }).click();
  const dialog = page.getByRole('dialog');
  const go = dialog.getByRole('button', { name: /^Set the value of 1 config/ });
  await expect(go).toBeDisabled();
  await dialog.getByLabel('New value').fill('z');
  await expect(go).toBeEnabled();
});

test('phones show rows as cards, and filters behind a button', async () => {
  const { page } = await site.enter('/items', undefined, { look: { language: 'en', colours: 'light', width: 390 } });
  const row = page.locator('tbody tr').first();
  const [sku, name, price] = await Promise.all(
    [row.getByText('CALM-'), row.getByText('Tea CALM-'), row.getByText('¥60.00')].map((cell) => cell.first().boundingBox()),
  );
  expect(name?.y).toBeGreaterThan(sku?.y ?? Infinity);
  expect(Math.abs((name?.y ?? 0) - (price?.y ?? 99))).toBeLessThan(8);
  const status = page.getByRole('combobox', { name: 'Status' });
  expect(await status.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Filters' }).click();
  expect(await status.isVisible()).toBe(true);
});
