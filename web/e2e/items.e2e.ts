import type { Visitor } from './browser';
import { expect, tenantSite, test } from './site';

interface Versioned {
  version: number;
  etag: string;
  name: string;
  price: number;
  status: string;
}

const site = tenantSite();

const itemNow = (sku: string) => site.request<Versioned>('GET', `/items/${sku}`);

test('concurrent edits of different item fields both apply', async () => {
  await site.request('POST', '/items', { sku: 'TEA-2', name: 'Black tea', price: 5000 });
  const [first, second] = await site.two('/items/TEA-2');
  await first.page.getByRole('textbox', { name: 'Price' }).fill('55.50');
  await second.page.getByRole('textbox', { name: 'Name' }).fill('Black tea, aged');
  await second.page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await itemNow('TEA-2')).version).toBe(2);

  await first.page.getByRole('button', { name: 'Save' }).click();

  await expect.poll(async () => (await itemNow('TEA-2')).version).toBe(3);
  expect(await itemNow('TEA-2')).toMatchObject({ name: 'Black tea, aged', price: 5550 });
  await expect.poll(() => first.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Black tea, aged');
  await first.check('item-merged');
});

test('a click on Save works while another change arrives', async () => {
  await site.request('POST', '/items', { sku: 'TEA-5', name: 'Yellow tea', price: 6000 });
  const visitor = await site.enter('/items/TEA-5');
  const { page } = visitor;
  await page.getByRole('textbox', { name: 'Price' }).fill('65.00');
  await page.getByRole('button', { name: 'Save' }).hover();
  await page.mouse.down();
  const { etag } = await itemNow('TEA-5');
  const read = page.waitForResponse((response) => response.url().endsWith('/api/v1/items/TEA-5'));
  await site.asLi('PATCH', '/items/TEA-5', { name: 'Yellow tea, new' }, { 'If-Match': etag });
  await (await read).finished();
  await visitor.rest();
  expect(await page.getByText(/while you were editing v1/).isVisible()).toBe(false);
  await page.mouse.up();

  await expect.poll(() => itemNow('TEA-5')).toMatchObject({ version: 3, name: 'Yellow tea, new', price: 6500 });
});

test('archiving an item can be undone immediately', async () => {
  await site.request('POST', '/items', { sku: 'TEA-9', name: 'Red tea', price: 4000 });
  const visitor = await site.enter('/items/TEA-9');
  const { page } = visitor;
  const archive = async () => {
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('TEA-9 was archived.').waitFor();
  };
  await archive();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('TEA-9 was activated.').waitFor();
  expect(await itemNow('TEA-9')).toMatchObject({ status: 'active', version: 3 });
});

test('a contested field prompts and names the other user', async () => {
  await site.request('POST', '/items', { sku: 'TEA-3', name: 'White tea', price: 7000 });
  const [first, second] = await site.two('/items/TEA-3');
  await first.page.getByRole('textbox', { name: 'Price' }).fill('80.00');
  await second.page.getByRole('textbox', { name: 'Price' }).fill('90.00');
  await second.page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await itemNow('TEA-3')).price).toBe(9000);

  await first.page.getByRole('button', { name: 'Save' }).click();

  await first.page.getByText(/Li saved v2 .*, while you were editing v1/).waitFor();
  await first.page.getByRole('button', { name: 'Keep yours for Price' }).waitFor();
  await first.check('item-contested');
  expect(await itemNow('TEA-3')).toMatchObject({ price: 9000, version: 2 });
});

test('the loser of two redemptions reads who was first', async () => {
  const day = 86_400_000;
  const campaign = await site.request<{ id: number }>('POST', '/coupon-campaigns', {
    name: 'Welcome',
    kind: 'amount',
    value: 500,
    minimumAmount: 0,
    total: 10,
    perUser: 1,
    validFrom: new Date(Date.now() - day).toISOString(),
    validTo: new Date(Date.now() + day).toISOString(),
  });
  const { codes } = await site.request<{ codes: string[] }>('POST', `/coupon-campaigns/${campaign.id}/coupons`, { count: 1 });
  const code = codes[0] ?? '';
  const [first, second] = await site.two(`/coupons/${code}`);
  const open = (visitor: Visitor) => visitor.page.getByRole('button', { name: 'Redeem' }).click();
  await open(first);
  await open(second);
  await first.page.getByRole('dialog').getByRole('textbox', { name: 'User id' }).fill('12');
  await second.page.getByRole('dialog').getByRole('textbox', { name: 'User id' }).fill('13');
  await second.page.getByRole('dialog').getByRole('button', { name: 'Redeem' }).click();
  await second.page.getByText(`${code} was redeemed.`).waitFor();

  await first.page.getByRole('dialog').getByRole('button', { name: 'Redeem' }).click();

  await first.page.getByText(/Too late: Li redeemed it .*, for user 13\./).waitFor();
  await first.check('coupon-lost');
});
