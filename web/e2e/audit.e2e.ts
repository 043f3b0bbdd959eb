// Proves G6.5.

import { readFile } from 'node:fs/promises';
import { expect, li, nightly, tenantSite, test } from './site';

interface Config {
  etag: string;
  version: number;
  value: unknown;
}

const site = tenantSite(async () => {
  await site.request('POST', '/items', { sku: 'AUD-1', name: 'Green tea', price: 6000 });
  const { etag } = await site.request<{ etag: string }>('GET', '/items/AUD-1');
  await site.asLi('PATCH', '/items/AUD-1', { price: 6600 }, { 'If-Match': etag, 'X-Idempotency-Key': 'price-of-tea' });
});

nightly('an audit entry shows its change, request and key with links', async () => {
  const visitor = await site.enter('/audit-log?resource=items/AUD-1');
  const { page } = visitor;
  await page.getByRole('row', { name: /changed an item/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Audit entry' });
  await drawer.getByText('¥60.00').waitFor();
  await drawer.getByText('¥66.00').waitFor();
  await drawer.getByText('Asia/Shanghai').waitFor();
  const [entry] = (await site.request<{ items: { requestId: string }[] }>('GET', '/audit-log?resource=items/AUD-1&limit=1')).items;
  await drawer.getByText(entry?.requestId ?? 'none').waitFor();
  await visitor.check('audit-entry');
  await page.reload();
  await drawer.getByText('price-of-tea').waitFor();
  await drawer.getByRole('link', { name: 'Requests with this key' }).click();
  await page.getByText('PATCH /api/v1/items/AUD-1').waitFor();
  await page.goBack();
  await drawer.getByRole('link', { name: 'All actions of Li' }).click();
  await page.waitForURL(/actor=/);
  await page
    .getByText('1–1 of 1')
    .or(page.getByText(/of [2-9]/))
    .waitFor();
});

nightly('a config’s entry has its difference, and the export has the details', async () => {
  await site.request('POST', '/configs', { key: 'audit.rate', value: { fee: 2.5, days: 3 }, valueType: 'json', remark: '' });
  const { etag } = await site.request<Config>('GET', '/configs/audit.rate');
  await site.asLi('PATCH', '/configs/audit.rate', { value: { fee: 3 } }, { 'If-Match': etag });
  const visitor = await site.enter('/audit-log?resource=configs/audit.rate&action=config.update');
  const { page } = visitor;
  const row = page.getByRole('row', { name: /changed a config/ });
  await row.focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Audit entry' });
  await drawer.getByText('/fee').waitFor();
  await drawer.locator('del').getByText('2.5').waitFor();
  await drawer.locator('ins').getByText('3', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Details' }).check();
  await page.keyboard.press('Escape');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  expect(await readFile(await (await saving).path(), 'utf8')).toContain('""toVersion"":2');
});

test('an overwritten user is notified on any page and restores the value', async () => {
  const key = 'audit.banner';
  await site.request('POST', '/configs', { key, value: { text: 'old', days: 1 }, valueType: 'json', remark: '' });
  const { etag } = await site.request<Config>('GET', `/configs/${key}`);
  await site.asLi('PATCH', `/configs/${key}`, { value: { days: 7 } }, { 'If-Match': etag });
  const visitor = await site.enter('/items', li);
  const { page } = visitor;
  await page.locator('[data-status=live]').waitFor();

  await site.request('PATCH', `/configs/${key}?overwrite=The%20sale%20starts%20now`, { value: { text: 'Sale' } }, { 'If-Match': etag });

  await page.getByText(`overwrote your change to ${key}: “The sale starts now”`).waitFor();
  await page.getByRole('button', { name: 'Show the config' }).click();
  const notice = page.getByRole('status').filter({ hasText: 'overwrote your v2' });
  await notice.locator('del').getByText('7', { exact: true }).waitFor();
  await notice.getByText('The sale starts now').waitFor();
  await visitor.check('config-overwritten');
  await notice.getByRole('button', { name: 'Restore my values in the form' }).click();
  await page.getByRole('button', { name: /^Save · v4/ }).click();
  await page.getByText('Saved as v4').waitFor();
  expect(await site.request<Config>('GET', `/configs/${key}`)).toMatchObject({ value: { text: 'Sale', days: 7 }, version: 4 });
  await page.reload();
  await page.getByRole('button', { name: /^Save · v/ }).waitFor();
  expect(await page.getByText('overwrote your v2').count()).toBe(0);
  await visitor.close();

  const auditor = await site.enter(`/audit-log?resource=configs/${key}`);
  await auditor.page.getByText('The sale starts now').click();
  const drawer = auditor.page.getByRole('dialog', { name: 'Audit entry' });
  await drawer.getByText('This change overwrote values of other users').waitFor();
  await auditor.check('audit-overwrite');
  await drawer.getByRole('link', { name: 'Open the history' }).click();
  await auditor.page.getByRole('region', { name: 'Difference between two versions' }).waitFor();
});

nightly('the log filters by action, user, record and time, also in the export', async () => {
  const visitor = await site.enter('/audit-log');
  const { page } = visitor;
  const rows = page.locator('tbody tr');
  await rows.nth(2).waitFor();
  const narrow = async (name: string, text: string) => {
    await page.getByPlaceholder(name, { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  };
  await narrow('Action, such as order.pay', 'item.update');
  await narrow('Who', 'Li');
  await narrow('Record, such as configs/checkout.tax', 'items/');
  await page.waitForURL(/action=item\.update.*actor=Li.*resource=|resource=.*actor=Li/);
  await expect.poll(() => rows.count()).toBe(1);
  await rows.first().getByText('items/AUD-1').waitFor();
  const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
  await page.getByLabel('From this day').fill(today);
  await page.waitForURL(/from=/);
  await expect.poll(() => rows.count()).toBe(1);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: /CSV/ }).click();
  const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split(/\r?\n/);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('item.update,items/AUD-1');
  await page.getByLabel('From this day').fill('2999-01-01');
  await expect.poll(() => rows.filter({ hasText: 'items/AUD-1' }).count()).toBe(0);
  await visitor.check();
});
