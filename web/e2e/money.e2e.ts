import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { admin } from './service';
import { expect, nightly, serviceSite, test } from './site';

const day = 86_400_000;

const site = serviceSite(undefined, () => ({ INTERLOCK_CURRENCY: 'JPY' }));

/** Exports the open list and returns its lines, without the byte order mark. */
async function exported(page: Page): Promise<string[]> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  return (await readFile(await (await saving).path(), 'utf8')).replace('\ufeff', '').trim().split('\r\n');
}

test('money has the currency and decimals of the service', async () => {
  await site.request('POST', '/items', { sku: 'YEN-1', name: '急須', price: 6000 });
  const visitor = await site.enter('/items');
  const { page } = visitor;
  await page.getByText('¥6,000', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'YEN-1' }).click();
  const price = page.getByRole('textbox', { name: 'Price' });
  expect(await price.inputValue()).toBe('6000');

  await price.fill('6500.50');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await site.request('GET', '/items/YEN-1')).toMatchObject({ price: 6000, version: 1 });
  await price.fill('6500');
  await page.getByRole('button', { name: 'Save' }).click();

  await expect.poll(() => site.request('GET', '/items/YEN-1')).toMatchObject({ price: 6500, version: 2, currency: 'JPY' });
  await visitor.visit('/settings');
  const currency = page.getByRole('textbox', { name: 'Currency' });
  expect(await currency.inputValue()).toBe('JPY');
  expect(await currency.isEditable()).toBe(false);
  await visitor.check();
});

nightly('exports have amounts in the currency’s unit and the zone of times', async () => {
  const [yesterday, tomorrow] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
  await site.request('POST', '/items', { sku: 'YEN-2', name: 'Kettle', price: 6000 });
  await site.request('POST', '/wallets/5/entries', { amount: 6000, kind: 'topup', reference: 'opening' });
  const sale = { name: 'Noon', sku: 'YEN-2', price: 990, quantity: 4, perUserLimit: 1, startsTime: yesterday, endsTime: tomorrow };
  await site.request('POST', '/flash-sales', sale);
  const terms = { name: 'Spring', kind: 'amount', value: 500, minimumAmount: 2000, total: 10, perUser: 1, validFrom: yesterday, validTo: tomorrow };
  await site.request('POST', '/coupon-campaigns', terms);
  const visitor = await site.enter('/');
  for (const [path, amount] of [
    ['/wallets', '6000'],
    ['/wallets/5', '6000'],
    ['/flash-sales', '990'],
    ['/items?q=YEN-2', '6000'],
    ['/coupon-campaigns', '500'],
  ] as const) {
    await visitor.visit(path);
    const [head = '', row = ''] = await exported(visitor.page);
    expect(row.split(','), `${path}: ${row}`).toContain(amount);
    for (const [i, cell] of row.split(',').entries()) {
      if (/^\d{4}-\d\d-\d\dT.*Z$/.test(cell)) expect(head.split(',')[i], path).toMatch(/\(UTC\)$/);
    }
  }
});

test('the user menu names the tenant', async () => {
  const tenant = await site.service.createTenant();
  const visitor = await site.open();
  const { page } = visitor;
  await page.goto('/');
  await page.getByRole('button', { name: /tenant/i }).click();
  await page.locator('input[name=tenant]').fill(tenant);
  await visitor.fillIn(admin);
  // The session decides, not the tenant that this browser signed in to last.
  await page.evaluate(() => localStorage.setItem('interlock.tenant', 'elsewhere'));
  await page.reload();
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menu').getByText(`Tenant ${tenant}`).waitFor();
  await visitor.check();
});
