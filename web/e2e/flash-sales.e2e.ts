import { readFile } from 'node:fs/promises';
import type { Visitor } from './browser';
import { admin } from './service';
import { expect, nightly, serviceSite, test } from './site';

const hour = 3_600_000;

interface Sale {
  id: number;
  etag: string;
  version: number;
  status: string;
  quantity: number;
  rate: number | null;
  queueCap: number | null;
}

interface Stats {
  allotted: number;
  remaining: number;
  confirmed: number;
  balanced: boolean;
}

const site = serviceSite(async () => {
  await site.request('POST', '/items', { sku: 'TEA-SET', name: 'Tea set', price: 6000 });
  await site.request('POST', '/inventory/TEA-SET/adjustments', { delta: 1000, reason: 'Delivery', reference: 'delivery-1' });
});

const plan = (change: object = {}) =>
  site.request<Sale>('POST', '/flash-sales', {
    name: 'First wave',
    sku: 'TEA-SET',
    price: 990,
    quantity: 40,
    perUserLimit: 1,
    startsTime: new Date(Date.now() - hour).toISOString(),
    endsTime: new Date(Date.now() + hour).toISOString(),
    ...change,
  });
const now = (id: number) => site.request<Sale>('GET', `/flash-sales/${id}`);
const statsOf = (id: number) => site.request<Stats>('GET', `/flash-sales/${id}/stats`);
const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialogButton = ({ page }: Visitor, name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const legend = ({ page }: Visitor, words: string) => page.getByRole('listitem').filter({ hasText: words });

/** Buys for a customer; returns the code of a rejection, or the status of the ticket. */
async function buy(id: number, customer: number, quantity = 1): Promise<string> {
  const { code, status } = await site.buy(id, customer, quantity);
  return code ?? status;
}

nightly('a paused sale has no forecast, and charts do not mix units', async () => {
  const { id } = await plan({ quantity: 400, perUserLimit: 5 });
  await site.request('POST', `/flash-sales/${id}/open`);
  const visitor = await site.enter(`/flash-sales/${id}`);
  const { page } = visitor;
  await legend(visitor, 'Remaining 400').waitFor();
  const end = page.locator('dl > *').filter({ hasText: 'Sold out in' });
  await Promise.all(Array.from({ length: 20 }, (_, i) => buy(id, i + 1, 5)));

  await end.getByText('≈').waitFor();
  await page.getByRole('img', { name: /^Pace, units per second\. Now: accepted [1-9][^a-z]*, confirmed [^a-z]*$/ }).waitFor();
  await page.getByRole('img', { name: /^Arrivals, purchases per second\. Now: arrived [1-9]/ }).waitFor();
  const { etag } = await now(id);
  await site.request('POST', `/flash-sales/${id}/pause`, undefined, { 'If-Match': etag });

  await button(visitor, 'Resume…').waitFor();
  await end.getByText('—').waitFor();
  expect(await end.innerText()).not.toContain('≈');
});

nightly('a later viewer sees the last minutes of a sale, also after a restart', async () => {
  const { id } = await plan({ quantity: 200, perUserLimit: 5 });
  await site.request('POST', `/flash-sales/${id}/open`);
  await Promise.all(Array.from({ length: 20 }, (_, i) => buy(id, i + 1, 5)));
  interface Samples {
    items: { stats: { acceptedPerSecond: number; confirmed: number } }[];
  }
  const seen = async () => (await site.request<Samples>('GET', `/flash-sales/${id}/samples`)).items.map(({ stats }) => stats);
  await expect.poll(async () => (await seen()).some((stats) => stats.acceptedPerSecond > 0)).toBe(true);
  await expect.poll(async () => (await seen()).at(-1)).toMatchObject({ acceptedPerSecond: 0, confirmed: 100 });
  await site.service.pause();
  await site.service.run();

  const visitor = await site.enter(`/flash-sales/${id}`);
  const { page } = visitor;

  const pace = page.locator('dl > *').filter({ hasText: 'Accepted' }).first();
  await pace.getByText(/^peak [1-9]/).waitFor();
  await legend(visitor, 'Remaining 100').waitFor();
  const samplesRead = page.waitForResponse((response) => response.url().endsWith('/samples?minutes=60'));
  await page.getByText('60 min', { exact: true }).click();
  expect(((await (await samplesRead).json()) as Samples).items.length).toBeGreaterThan(0);
  await page.waitForURL(`**/flash-sales/${id}?range=60`);
  await page.reload();
  await page.getByRole('radio', { name: '60 min', checked: true }).waitFor({ state: 'attached' });
  await visitor.check();
});

nightly('rejections for a full queue are shown next to the numbers', async () => {
  const { id } = await plan({ quantity: 100, perUserLimit: 5, queueCap: 3, rate: 1 });
  await site.request('POST', `/flash-sales/${id}/open`);
  const visitor = await site.enter(`/flash-sales/${id}`);
  const alert = visitor.page.getByRole('status').filter({ hasText: 'Purchases are rejected because the queue is full' });
  await legend(visitor, 'Remaining 100').waitFor();
  expect(await alert.count()).toBe(0);

  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => buy(id, i + 1)));

  expect(answers).toContain('queue_full');
  await alert.waitFor();
  await visitor.check();
  await alert.waitFor({ state: 'hidden' });
});

test('in UTC mode a sale starts at the entered UTC time', async () => {
  const visitor = await site.enter('/flash-sales');
  const { page } = visitor;
  await page.evaluate(() => localStorage.setItem('interlock.times', 'utc'));
  await page.reload();
  await button(visitor, 'New flash sale').first().click();
  await button(visitor, /^Advanced/).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('UTC sale');
  await page.getByRole('dialog').getByRole('combobox', { name: 'Item', exact: true }).fill('TEA-SET');
  await page.getByRole('textbox', { name: 'Unit price' }).fill('9.90');
  await page.getByRole('textbox', { name: 'Quantity' }).fill('4');
  await page.getByRole('dialog').getByLabel('Starts').fill('2030-01-01T12:00');
  await page.getByRole('dialog').getByLabel('Ends').fill('2030-01-01T13:30');
  expect(await page.getByRole('dialog').getByText(/UTC/).count()).toBeGreaterThan(0);
  await dialogButton(visitor, 'Create the sale').click();
  await page.getByRole('heading', { level: 1, name: 'UTC sale' }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  expect(await now(id)).toMatchObject({ startsTime: '2030-01-01T12:00:00.000000Z', endsTime: '2030-01-01T13:30:00.000000Z' });
  await visitor.check();
});

test('the cockpit shows live balanced counts until the sale is sold out', async () => {
  const visitor = await site.enter('/flash-sales', admin, { look: { language: 'en', colours: 'dark', width: 1280 } });
  const { page } = visitor;
  await button(visitor, 'New flash sale').first().click();
  await button(visitor, /^Advanced/).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Noon sale');
  await page.getByRole('dialog').getByRole('combobox', { name: 'Item', exact: true }).fill('tea');
  await page.getByRole('option', { name: /TEA-SET/ }).click();
  await page.getByRole('dialog').getByText('Tea set', { exact: true }).first().waitFor();
  await page.getByRole('textbox', { name: 'Unit price' }).fill('9.90');
  await page.getByRole('textbox', { name: 'Quantity' }).fill('40');
  await page.getByRole('textbox', { name: 'Rate' }).fill('4');
  await page.getByRole('dialog').getByLabel('Starts').fill('2026-01-01T00:00');
  await page.getByRole('dialog').getByLabel('Ends').fill('2999-12-31T23:30');
  await dialogButton(visitor, 'Create the sale').click();
  await page.getByRole('heading', { level: 1, name: 'Noon sale' }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  expect(await now(id)).toMatchObject({ status: 'draft', price: 990, quantity: 40, rate: 4, queueCap: null, perUserLimit: 1 });

  await button(visitor, 'Open…').click();
  await page.getByText(/40 units of TEA-SET will be reserved/).waitFor();
  await page.getByText(/units are available; .* remain for orders outside of the sale/).waitFor();
  await dialogButton(visitor, 'Open the sale').click();
  await page.getByText('✓ balanced').waitFor();
  await legend(visitor, 'Remaining 40').waitFor();

  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => buy(id, i + 1)));

  expect(answers.filter((answer) => answer === 'queued')).toHaveLength(40);
  expect(answers.filter((answer) => answer === 'sold_out')).toHaveLength(10);
  // No reload from here on: the changes arrive through the stream.
  await legend(visitor, 'Remaining 0').waitFor();
  await page.getByText('sold out', { exact: true }).waitFor();
  await page.getByText(/^live · /).waitFor();
  await page.getByText('✓ balanced').waitFor();
  await page.getByText('10 rejected so far').waitFor();
  await page.getByRole('img', { name: /^Arrivals, purchases per second\. Now: arrived [1-9].*, sold out [1-9]/ }).waitFor();
  await visitor.shoot('cockpit-selling');
  await legend(visitor, 'Confirmed 40').waitFor();
  await page.getByText('✓ balanced').waitFor();
  expect(await statsOf(id)).toMatchObject({ allotted: 40, remaining: 0, confirmed: 40, balanced: true });
  await page.getByRole('img', { name: /^Queue, .*\. Now: queued 0, oldest 0/ }).waitFor();

  await button(visitor, 'Reconcile').click();
  await page.getByText('Every ticket matches its order').waitFor();
  await page.getByText('0 tickets moved · 0 units released · 40 sold, 40 in live orders').waitFor();
  await visitor.check('cockpit-sold-out');

  await page.getByRole('link', { name: 'Flash sales' }).first().click();
  await page.getByText('40 of 40').waitFor();
  const saving = page.waitForEvent('download');
  await button(visitor, /^Export|CSV/).click();
  const text = await readFile(await (await saving).path(), 'utf8');
  expect(text).toMatch(/Noon sale,open,TEA-SET,40,9\.90/);
});

test('the loser of two pauses reads who paused the sale first', async () => {
  const { id } = await plan();
  await site.request('POST', `/flash-sales/${id}/open`);
  const [first, second] = await site.two(`/flash-sales/${id}`);
  await button(first, 'Pause…').click();
  await button(second, 'Pause…').click();
  await dialogButton(second, 'Pause the sale').click();
  await expect.poll(async () => (await now(id)).status).toBe('paused');

  await dialogButton(first, 'Pause the sale').click();

  await first.page.getByText(/^Already paused by Li/).waitFor();
  await first.page.getByText('Your change was not applied. Available actions: Resume and Close.').waitFor();
  expect(await now(id)).toMatchObject({ status: 'paused', version: 3 });
  await button(first, 'Resume…').waitFor();
  await button(second, 'Resume…').waitFor();
  await first.check('cockpit-lost');
});

nightly('a pause does not conflict with a rate change, and rate and cap merge', async () => {
  const { id } = await plan({ rate: 5, queueCap: 100 });
  await site.request('POST', `/flash-sales/${id}/open`);
  const [first, second] = await site.two(`/flash-sales/${id}`);
  await button(first, 'Rate 5/s').click();
  await button(second, 'Rate 5/s').click();
  await first.page.getByRole('textbox', { name: 'Queue cap' }).fill('500');
  await second.page.getByRole('textbox', { name: 'Rate' }).fill('8');
  await dialogButton(second, /^Save · v/).click();
  await button(second, 'Rate 8/s').waitFor();
  await button(second, 'Pause…').click();

  await dialogButton(first, /^Save · v/).click();

  await first.page.getByText('Saved and merged with Li’s change to Rate.').waitFor();
  expect(await now(id)).toMatchObject({ rate: 8, queueCap: 500 });
  await dialogButton(second, 'Pause the sale').click();
  await second.page.getByText('“First wave”: Paused.').waitFor();
  expect(await now(id)).toMatchObject({ status: 'paused', rate: 8, queueCap: 500 });
});

test('the quantity changes by a previewed delta, never below the sold units', async () => {
  const { id } = await plan({ quantity: 10 });
  await site.request('POST', `/flash-sales/${id}/open`);
  expect(await buy(id, 1)).toBe('queued');
  await expect.poll(async () => (await statsOf(id)).confirmed).toBe(1);
  const visitor = await site.enter(`/flash-sales/${id}`);
  const { page } = visitor;
  await legend(visitor, 'Confirmed 1').waitFor();
  await button(visitor, 'Quantity').click();
  const delta = page.getByRole('textbox', { name: 'Add, or subtract with a minus' });
  await delta.fill('-10');
  await page.getByText('Only unsold units can be removed.').waitFor();
  await delta.fill('-4');
  await page.getByText('4 units will return to the item’s stock.').waitFor();
  await visitor.check();

  await dialogButton(visitor, 'Change the quantity').click();

  await legend(visitor, 'Remaining 5').waitFor();
  await page.getByText('✓ balanced').waitFor();
  expect(await statsOf(id)).toMatchObject({ allotted: 6, remaining: 5, confirmed: 1, balanced: true });
});

test('without the stream the cockpit polls, shows data age and mismatches', async () => {
  const { id } = await plan({ quantity: 10 });
  await site.request('POST', `/flash-sales/${id}/open`);
  const visitor = await site.open();
  const { page } = visitor;
  await page.route('**/api/v1/events', (route) => route.abort());
  // The service never returns such numbers; the strip has to detect them.
  await page.route(`**/api/v1/flash-sales/${id}/stats`, async (route) => {
    const reply = await route.fetch();
    const stats = (await reply.json()) as Stats;
    await route.fulfill({ response: reply, json: { ...stats, remaining: stats.remaining - 2, balanced: false } });
  });
  await visitor.signIn(admin, `/flash-sales/${id}`);

  await page.getByText('10 units are allotted and 8 are counted: 2 are missing.').waitFor();
  await page.getByText(/^reconnecting, polling every 2/).waitFor();
  await visitor.check('cockpit-unbalanced');

  await page.unroute(`**/api/v1/flash-sales/${id}/stats`);
  await page.getByText('✓ balanced').waitFor();
  await page.unroute('**/api/v1/events');
  await page.getByText(/^live · /).waitFor();
});
