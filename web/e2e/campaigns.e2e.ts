import { readFile } from 'node:fs/promises';
import type { Visitor } from './browser';
import { expect, nightly, tenantSite, test } from './site';

const day = 86_400_000;

interface Campaign {
  id: number;
  etag: string;
  version: number;
  name: string;
  kind: string;
  value: number;
  total: number;
  perUser: number;
  issued: number;
}

const site = tenantSite();

const at = (days: number) => new Date(Date.now() + days * day).toISOString();
const make = (change: Partial<Campaign> = {}) =>
  site.request<Campaign>('POST', '/coupon-campaigns', {
    name: 'Spring',
    kind: 'amount',
    value: 500,
    total: 10,
    perUser: 1,
    validFrom: at(-1),
    validTo: at(1),
    ...change,
  });
const now = (id: number) => site.request<Campaign>('GET', `/coupon-campaigns/${id}`);
const couponsOf = async (id: number) => (await site.request<{ total: number }>('GET', `/coupons?campaignId=${id}`)).total;
const field = ({ page }: Visitor, name: string) => page.getByRole('textbox', { name, exact: true });
const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialogButton = ({ page }: Visitor, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

nightly('a campaign is created, found and linked to its coupons', async () => {
  const visitor = await site.enter('/coupon-campaigns');
  const { page } = visitor;
  await button(visitor, 'New campaign').first().click();
  await field(visitor, 'Name').fill('Harvest');
  await page.getByRole('combobox', { name: 'Kind of discount' }).selectOption('percent');
  await field(visitor, 'Percent off').fill('20');
  await field(visitor, 'Total coupons').fill('50');
  await page.reload();
  await button(visitor, 'New campaign').first().click();
  await page.getByText(/Restored from your draft of/).waitFor();
  await page.getByRole('dialog').getByLabel('Valid until').fill('2999-12-31T23:30');
  await dialogButton(visitor, 'Create the campaign').click();
  await page.getByRole('heading', { level: 1, name: 'Harvest' }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  expect(await now(id)).toMatchObject({ name: 'Harvest', kind: 'percent', value: 20, total: 50, validTo: '2999-12-31T15:30:00.000000Z' });

  await button(visitor, 'Issue to a list').click();
  await field(visitor, 'List').fill('12, 13 13；14');
  await page.getByText('3 rows will be sent').waitFor();
  await dialogButton(visitor, 'Issue 3 coupons').click();
  await page.getByText('3 coupons were issued').waitFor();
  const saving = page.waitForEvent('download');
  await button(visitor, 'Results as CSV').click();
  const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',')[0])).toEqual(['12', '13', '14']);
  const code = lines[0]?.split(',')[2] ?? '';
  expect(await site.request(`GET`, `/coupons/${code}`)).toMatchObject({ userId: '12', campaignId: id });
  await dialogButton(visitor, 'Close').last().click();

  await page.getByRole('link', { name: 'Show the coupons' }).click();
  await page.waitForURL(new RegExp(`/coupons\\?campaignId=${id}`));
  await page.getByText('1–3 of 3').waitFor();
  await page.getByRole('link', { name: code }).click();
  await page.getByRole('heading', { level: 2, name: 'Discount' }).waitFor();
  await page.getByRole('link', { name: 'Harvest' }).click();
  await page.getByRole('heading', { level: 1, name: 'Harvest' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('harv');
  await page.getByRole('dialog').getByText('Harvest').waitFor();
  await visitor.check();
});

test('concurrent edits of different campaign terms both apply', async () => {
  const { id } = await make();
  const [first, second] = await site.two(`/coupon-campaigns/${id}`);
  await first.page.getByText(/^Also here: Li/).waitFor();
  await field(first, 'Total coupons').fill('20');
  await field(second, 'Amount off').fill('7.50');
  await first.page.getByText('Also here: Li (on Discount)').waitFor();
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await now(id)).version).toBe(2);
  await first.page.getByText(/^Changed: Discount/).waitFor();

  await button(first, /^Save · v/).click();

  await first.page.getByText('Saved and merged with Li’s change to Discount.').waitFor();
  expect(await now(id)).toMatchObject({ version: 3, total: 20, value: 750, kind: 'amount' });
  expect(await field(first, 'Amount off').inputValue()).toBe('7.50');
  await second.page
    .getByText(/^Changed: Total coupons/)
    .first()
    .waitFor();
  expect(await field(second, 'Total coupons').inputValue()).toBe('20');
  await first.check('campaign-merged');
});

nightly('discount kind and value conflict together, and choices survive a later conflict', async () => {
  const { id } = await make();
  const [first, second] = await site.two(`/coupon-campaigns/${id}`);
  await field(first, 'Amount off').fill('60.00');
  await second.page.getByRole('combobox', { name: 'Kind of discount' }).selectOption('percent');
  await field(second, 'Percent off').fill('15');
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await now(id)).kind).toBe('percent');

  await button(first, /^Save · v/).click();
  await first.page.getByText(/Li saved v2 .*, while you were editing v1/).waitFor();
  const contested = first.page.getByRole('group', { name: 'Discount' });
  await contested.getByText('15%').waitFor();
  await first.check('campaign-contested');
  expect(await now(id)).toMatchObject({ version: 2, kind: 'percent', value: 15 });
  await contested.getByRole('button', { name: 'Keep yours for Discount' }).click();
  // Li changes another term while the first admin decides.
  await field(second, 'Coupons per user').fill('3');
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await now(id)).version).toBe(3);
  await button(first, 'Save merged · v4').click();

  await expect.poll(async () => (await now(id)).version).toBe(4);
  expect(await now(id)).toMatchObject({ kind: 'amount', value: 6000, perUser: 3 });
});

test('concurrent issues never exceed the total of the campaign', async () => {
  const { id } = await make({ total: 10 });
  const [first, second] = await site.two(`/coupon-campaigns/${id}`);
  for (const visitor of [first, second]) {
    await button(visitor, 'Issue coupons').click();
    await field(visitor, 'Number of coupons').fill('7');
    await visitor.page.getByText('7 coupons will be issued; 3 of 10 will be left.').waitFor();
  }
  await dialogButton(second, 'Issue coupons').click();
  await second.page.getByText('7 coupons were issued').waitFor();
  await first.page.getByText('Only 3 of 10 coupons are left.').waitFor();

  await dialogButton(first, 'Issue coupons').click();

  await first.page.getByText('Only 3 of 10 coupons are left, and you requested 7. No coupons were issued.').waitFor();
  expect(await couponsOf(id)).toBe(7);
  await first.check('campaign-limit');
  await button(first, 'Issue 3 instead').click();
  await dialogButton(first, 'Issue coupons').click();
  await first.page.getByText('3 coupons were issued').waitFor();
  expect(await couponsOf(id)).toBe(10);
  expect(await now(id)).toMatchObject({ issued: 10, total: 10 });
});

nightly('an issue with a lost reply is retried after a reload', async () => {
  const { id } = await make();
  const visitor = await site.enter(`/coupon-campaigns/${id}`);
  const { page } = visitor;
  const keys: (string | undefined)[] = [];
  await page.route('**/coupons', async (route) => {
    keys.push(route.request().headers()['x-idempotency-key']);
    await route.abort();
  });
  await button(visitor, 'Issue coupons').click();
  await field(visitor, 'Number of coupons').fill('4');
  await dialogButton(visitor, 'Issue coupons').click();
  await page.getByText('The outcome of this request is still unknown.').waitFor();
  await page.reload();
  await button(visitor, 'Issue coupons').click();
  await page.getByText('The outcome of this request is still unknown.').waitFor();
  expect(await field(visitor, 'Number of coupons').inputValue()).toBe('4');
  expect(await field(visitor, 'Number of coupons').isDisabled()).toBe(true);
  await page.unroute('**/coupons');
  page.on('request', (sent) => {
    if (sent.method() === 'POST' && sent.url().endsWith('/coupons')) keys.push(sent.headers()['x-idempotency-key']);
  });

  await dialogButton(visitor, 'Retry').click();

  await page.getByText('4 coupons were issued').waitFor();
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(1);
  expect(await couponsOf(id)).toBe(4);
});

nightly('a campaign deleted during the edit can be recreated from the input', async () => {
  const { id, etag } = await make({ name: 'Short-lived' });
  const visitor = await site.enter(`/coupon-campaigns/${id}`);
  const { page } = visitor;
  await field(visitor, 'Name').fill('Long-lived');
  await site.request('DELETE', `/coupon-campaigns/${id}`, undefined, { 'If-Match': etag });
  await page.getByText('This record has been deleted').waitFor();
  expect(await field(visitor, 'Name').inputValue()).toBe('Long-lived');

  await button(visitor, 'Recreate').click();

  await page.getByRole('heading', { level: 1, name: 'Long-lived' }).waitFor();
  const again = Number(new URL(page.url()).pathname.split('/').at(-1));
  expect(again).not.toBe(id);
  expect(await now(again)).toMatchObject({ name: 'Long-lived', total: 10 });
});

nightly('a campaign with coupons ends instead of being deleted', async () => {
  const { id } = await make({ name: 'In use' });
  const unused = await make({ name: 'Unused' });
  await site.request('POST', `/coupon-campaigns/${id}/coupons`, { count: 2 });
  const visitor = await site.enter(`/coupon-campaigns/${id}`);
  const { page } = visitor;
  await button(visitor, 'Delete').click();
  await page.getByText(/2 coupons were issued from it/).waitFor();
  await dialogButton(visitor, 'End the campaign now').click();
  await page.getByText('“In use” has ended.').waitFor();
  expect(await site.request<{ items: { status: string }[] }>('GET', `/coupons?campaignId=${id}`)).toMatchObject({
    items: [{ status: 'expired' }, { status: 'expired' }],
  });

  await visitor.visit(`/coupon-campaigns/${unused.id}`);
  await button(visitor, 'Delete').click();
  await dialogButton(visitor, 'Delete').click();
  await page.getByText('“Unused” was deleted.').waitFor();
  await expect(now(unused.id)).rejects.toThrow(/404/);
});
