import { itemInStock } from './pages';
import { admin } from './service';
import { expect, li, nightly, tenantSite, test } from './site';

const day = 86_400_000;
const at = (time: number) => new Date(time).toISOString();

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'DASH-9', name: 'Green tea', price: 6000 });
  for (let i = 0; i < 3; i++) {
    const { id } = await site.request<{ id: number }>('POST', '/orders', { userId: `u${i}`, items: [{ sku: 'DASH-9', quantity: 1 }] });
    if (i > 0) await site.request('POST', `/orders/${id}/pay`, { method: 'external', reference: `PSP-${id}` });
  }
  await site.request('POST', '/items', { sku: 'DASH-LOW', name: 'Cup', price: 900 });
  await site.request('POST', '/inventory/DASH-LOW/adjustments', { delta: 2, reason: 'opening', reference: 'opening' });
  const { id } = await site.request<{ id: number }>('POST', '/flash-sales', {
    name: 'Noon sale',
    sku: 'DASH-9',
    price: 990,
    quantity: 40,
    perUserLimit: 1,
    startsTime: at(Date.now() - day),
    endsTime: at(Date.now() + day),
  });
  await site.request('POST', `/flash-sales/${id}/open`, {});
});

test('first steps lead from an empty installation to a sale', async () => {
  const tenant = await site.service.createTenant();
  const visitor = await site.open({ tenant });
  const { page } = visitor;
  await visitor.signIn(admin);
  const first = page.getByRole('region', { name: 'First steps' });
  const dialog = page.getByRole('dialog');
  const home = async (done: number) => {
    await page.goto('/');
    await first.getByText(`${done} of 6 done.`).waitFor();
  };
  await first.getByText('0 of 6 done.').waitFor();
  await first.getByText('bin/admin demo').waitFor();
  expect(await first.getByRole('link', { name: 'Open the reference' }).getAttribute('href')).toBe('/docs');
  await visitor.check('dashboard-empty');
  await first.getByRole('link', { name: 'New config' }).click();
  await dialog.getByRole('textbox').first().waitFor();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  expect(new URL(page.url()).search).toBe('');
  const request = await site.as({ ...admin, tenant });
  const { etag } = await request<{ etag: string }>('POST', '/configs', { key: 'first.one', value: 1, valueType: 'number', remark: '' });
  await home(1);

  // The second window shows the same config; the second save is rejected.
  const popup = page.waitForEvent('popup');
  await first.getByRole('link', { name: 'Open it in two windows' }).click();
  await (await popup).getByRole('heading', { name: 'first.one' }).waitFor();
  await page.getByRole('heading', { name: 'first.one' }).waitFor();
  await (await popup).close();
  await request('PATCH', '/configs/first.one', { value: 2 }, { 'If-Match': etag });
  await request('PATCH', '/configs/first.one', { value: 3 }, { 'If-Match': etag }).catch(() => undefined);

  await page.goto('/');
  await first.getByRole('link', { name: 'New item' }).click();
  await dialog.getByRole('textbox', { name: 'SKU' }).fill('FIRST-1');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Green tea');
  await dialog.getByRole('textbox', { name: 'Price' }).fill('60');
  await dialog.getByRole('textbox', { name: 'Opening stock' }).fill('5');
  await dialog.getByRole('button', { name: 'Create the item' }).click();
  await page.waitForURL(/\/items\/FIRST-1$/);
  expect(await request('GET', '/inventory/FIRST-1')).toMatchObject({ onHand: 5, available: 5 });

  await page.goto('/');
  await first.getByRole('link', { name: 'New flash sale' }).click();
  await dialog.getByRole('combobox', { name: 'Item', exact: true }).fill('FIRST-1');
  await dialog.getByRole('textbox', { name: 'Unit price' }).fill('9.90');
  await dialog.getByRole('textbox', { name: 'Quantity' }).fill('8');
  await dialog.getByLabel('Starts').fill('2026-01-01T00:00');
  await dialog.getByLabel('Ends').fill('2999-12-31T23:30');
  await visitor.check('first-sale');
  await dialog.getByRole('button', { name: 'Create the sale' }).click();
  await page.getByRole('heading', { level: 1, name: 'Green tea' }).waitFor();
  await page.getByRole('button', { name: 'Open…' }).click();
  await dialog.getByText('Only 5 units are available: 3 are missing.').waitFor();
  await visitor.check('first-short');
  await dialog.getByRole('link', { name: 'Adjust the stock' }).click();
  await page.waitForURL(/\/items\/FIRST-1$/);
  await request('POST', '/inventory/FIRST-1/adjustments', { delta: 10, reason: 'Delivery', reference: 'delivery-1' });
  await page.goto('/');
  await first.getByRole('link', { name: 'Show the draft' }).click();
  await page.getByRole('button', { name: 'Open…' }).click();
  await dialog.getByText('15 units are available; 7 remain for orders outside of the sale.').waitFor();
  await dialog.getByRole('button', { name: 'Open the sale' }).click();
  await page.getByText('✓ balanced').waitFor();

  await page.goto('/');
  await first.getByRole('button', { name: 'Test purchase' }).click();
  await page.getByText(/^Ticket .*: 1 unit for a test customer\.$/).waitFor();
  await expect.poll(async () => (await request<{ total: number }>('GET', '/orders')).total).toBe(1);
  // The token of the purchase is revoked.
  expect((await request<{ items: { name: string }[] }>('GET', '/tokens')).items.filter(({ name }) => name.startsWith('test-purchase'))).toEqual([]);
  await page.goto('/');
  await first.getByRole('link', { name: 'Open the live numbers' }).click();
  await page.getByText('✓ balanced').waitFor();
  await page.goto('/');
  await page.getByRole('region', { name: 'Recent changes' }).waitFor();
  await expect.poll(() => first.count()).toBe(0);
});

test('the dashboard shows sales, low stock and new orders with links', async () => {
  const visitor = await site.enter('/');
  const { page } = visitor;
  const trend = page.getByRole('region', { name: 'Sales', exact: true });
  await trend.getByRole('img', { name: /^Orders paid\..*: 2, before: 0$/ }).waitFor();
  await trend.getByRole('img', { name: /^Net sales\..*: ¥120\.00, before: ¥0\.00$/ }).waitFor();
  const sales = page.getByRole('region', { name: 'Live sales' });
  await sales.getByText('40 of 40 left').waitFor();
  const stock = page.getByRole('region', { name: 'Low stock' });
  await stock.getByRole('link', { name: 'DASH-LOW' }).waitFor();
  await visitor.settle();
  await visitor.check('dashboard-day');
  await stock.getByRole('link', { name: /^All/ }).click();
  await page.waitForURL('**/inventory?maxAvailable=10');
  await page.goBack();
  await sales.getByRole('link', { name: 'Noon sale' }).click();
  await page.waitForURL('**/flash-sales/*');
});

test('the dashboard shows active users live', async () => {
  const visitor = await site.enter('/');
  const now = visitor.page.getByRole('region', { name: 'Working now' });
  await now.getByText('No user has a record open.').waitFor();
  await site.enter('/items/DASH-9', li);
  await visitor.page.reload();
  await now.getByText('Li', { exact: true }).waitFor();
  await now.getByRole('link', { name: 'Item DASH-9' }).waitFor();
});

nightly('an order near its cancellation is listed until it is paid', async () => {
  const visitor = await site.open();
  const { page } = visitor;
  const due = { id: 7, orderNo: 'O-SOON', userId: 'li@example.com', amount: 9900, paymentDue: at(Date.now() + 240_000) };
  // Only a flash sale purchase has a payment deadline, by default half an hour, so the response is faked.
  await page.route('**/api/v1/dashboard', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as object;
    await route.fulfill({ response: reply, json: { ...body, paymentsDueSoon: { total: 3, items: [due] } } });
  });
  await visitor.signIn(admin);
  const soon = page.getByRole('region', { name: 'About to be cancelled' });
  await soon.getByText('¥99.00').waitFor();
  await soon.getByText('and 2 more').waitFor();
  expect(await soon.getByRole('link', { name: 'O-SOON' }).getAttribute('href')).toBe('/orders/7');
  await page.unroute('**/api/v1/dashboard');
});

nightly('lost races link to the record, and repeated changes are one entry', async () => {
  const { etag } = await site.request<{ etag: string }>('POST', '/configs', { key: 'dash.fought', value: 1, valueType: 'number', remark: '' });
  await site.asLi('PATCH', '/configs/dash.fought', { value: 2 }, { 'If-Match': etag });
  await site.request('PATCH', '/configs/dash.fought', { value: 3 }, { 'If-Match': etag }).catch(() => undefined);
  const token = await site.token('robot', 'inventory:*');
  for (const n of [1, 2, 3]) {
    const { ok } = await fetch(`${site.address}/api/v1/inventory/DASH-9/adjustments`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ delta: 1, reason: 'robot', reference: `robot-${n}` }),
    });
    expect(ok).toBe(true);
  }
  const { items } = await site.request<{ items: { id: number }[] }>('GET', '/flash-sales');
  const sale = items[0]?.id ?? 0;
  const visitor = await site.open();
  const { page } = visitor;
  // The service needs many minutes to give up a message, so the response is faked.
  await page.route('**/api/v1/queues', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { queues: object[] };
    const dead = { name: `fs:${sale}`, ready: 0, delayed: 0, processing: 0, dead: 2, oldestReadySeconds: 0 };
    await route.fulfill({ response: reply, json: { ...body, queues: [dead] } });
  });
  await visitor.signIn(admin);
  const recent = page.getByRole('region', { name: 'Recent changes' });
  const robot = recent
    .getByRole('listitem')
    .filter({ hasText: 'inventory/DASH-9' })
    .filter({ hasText: /and 2 more/ });
  await robot.waitFor();
  expect(await robot.count()).toBe(1);
  const tile = page.getByRole('link', { name: /^Dead letters/ });
  await tile.getByText('2', { exact: true }).waitFor();
  expect(await tile.getAttribute('href')).toBe(`/flash-sales/${sale}`);
  const fought = page.getByRole('region', { name: 'Conflicts today' }).getByRole('link', { name: 'dash.fought' });
  // Conflicts are counted with a delay of a few seconds.
  await expect
    .poll(async () => {
      await page.reload();
      await recent.getByRole('listitem').first().waitFor();
      return fought.count();
    })
    .toBe(1);
  await visitor.check('dashboard-conflicts');
  await fought.click();
  await page.waitForURL('**/configs/dash.fought');
  await page.unroute('**/api/v1/queues');
});
