import { itemInStock } from './pages';
import { admin } from './service';
import { expect, nightly, tenantSite, test } from './site';

const day = 86_400_000;

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'LIST-1', name: 'Green tea', price: 6000 });
  for (let userId = 1; userId <= 3; userId++) await site.request('POST', '/orders', { userId, items: [{ sku: 'LIST-1', quantity: 1 }] });
});

test('a click selects the pressed row although the order changes', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  const newest = page.locator('tbody tr').first().getByRole('link').first();
  const address = await newest.getAttribute('href');
  await newest.hover();
  await page.mouse.down();
  const read = page.waitForResponse((response) => response.url().includes('/api/v1/orders?'));
  await site.request('POST', '/orders', { userId: 'u1', items: [{ sku: 'LIST-1', quantity: 1 }] });
  await (await read).finished();
  await visitor.rest();
  expect(await newest.getAttribute('href')).toBe(address);
  await page.mouse.up();
  await page.waitForURL(`**${address}`);

  await page.goBack();
  await expect.poll(() => newest.getAttribute('href')).not.toBe(address);
});

test('the exact time in the audit log shows its zone', async () => {
  const visitor = await site.enter('/audit-log');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Columns' }).click();
  const exact = page.getByRole('checkbox', { name: /^Time \(/ });
  await exact.check();
  await page.keyboard.press('Escape');
  const header = await page.getByRole('columnheader', { name: /^Time \(/ }).innerText();
  const cell = await page
    .locator('tbody tr')
    .first()
    .locator('td')
    .filter({ hasText: /^\w{3} \d+, \d{4}, \d\d:\d\d:\d\d/ })
    .innerText();
  const [entry] = (await site.request<{ items: { createdTime: string }[] }>('GET', '/audit-log?limit=1')).items;
  const inZone = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone }).format(new Date(entry?.createdTime ?? 0));
  expect(cell).toBe(inZone(/UTC/.test(header) ? 'UTC' : 'Asia/Shanghai'));
  expect(header).toMatch(/UTC|Asia\/Shanghai|GMT\+8/);
});

for (const path of ['/orders?userId=Li+Wei', '/orders?status=stolen', '/orders?from=2026-13-45', '/inventory?maxAvailable=few', '/coupons?campaignId=none'])
  test(`${path} reports an unreadable filter instead of showing all rows`, async () => {
    const visitor = await site.enter(path);
    const { page } = visitor;
    await page
      .getByRole('alert')
      .getByText(/Invalid filters/)
      .waitFor();
    expect(await page.locator('tbody tr').count()).toBe(0);
    expect(
      await page
        .getByRole('checkbox', { name: 'Choose all rows of this page' })
        .isDisabled()
        .catch(() => true),
    ).toBe(true);
    await visitor.check();
    await page.getByRole('button', { name: 'Clear the filters' }).first().click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('');
  });

test('an invalid user id is reported at its input and filters nothing', async () => {
  const visitor = await site.enter('/orders?userId=2');
  const { page } = visitor;
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('searchbox', { name: /User/ }).fill('2?');
  await page
    .getByText(/not valid|is not a user id/i)
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: /^Choose all/ }).count()).toBe(0);
  expect(await page.getByText('1–3 of 3').count()).toBe(0);
  await page.getByRole('searchbox', { name: /User/ }).fill('3');
  await page.waitForURL(/userId=3/);
  await page.getByText('1–1 of 1').waitFor();
});

for (const path of ['/orders?sort=nothing', '/orders?cursor=nonsense', '/configs?sort=-nothing', '/audit-log?cursor=older'])
  test(`${path} has a back link`, async () => {
    const visitor = await site.enter(path);
    const { page } = visitor;
    await page
      .getByRole('button', { name: /Show from the beginning|Clear the filters/ })
      .first()
      .click();
    await page.locator('tbody tr').or(page.getByText('No configs yet')).first().waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

test('Enter opens the first of several hits', async () => {
  await site.request('POST', '/configs', { key: 'enter.one', value: 1 });
  await site.request('POST', '/configs', { key: 'enter.two', value: 1 });
  const visitor = await site.enter('/');
  const { page } = visitor;
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('enter.');
  await page.getByRole('dialog').getByText('enter.two').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/configs\/enter\.one$/);
});

test('a found ticket or aggregate links to its record', async () => {
  await site.request('POST', '/aggregates/shelf/L-1/events', {
    clientId: 'scanner',
    events: [{ eventId: 'e-1', eventType: 'stored', eventTime: '2026-01-31T09:29:59.500Z', deltas: { in: 5 } }],
  });
  const { id } = await site.request<{ id: number }>('POST', '/flash-sales', {
    name: 'Noon',
    sku: 'LIST-1',
    price: 990,
    quantity: 4,
    perUserLimit: 1,
    startsTime: new Date(Date.now() - day).toISOString(),
    endsTime: new Date(Date.now() + day).toISOString(),
  });
  await site.request('POST', `/flash-sales/${id}/open`);
  const { ticket } = await site.buy(id, 77);
  await expect.poll(() => site.request('GET', `/flash-sales/${id}/tickets/${ticket}`)).toMatchObject({ status: 'confirmed' });
  const visitor = await site.enter('/');
  const { page } = visitor;
  await page.getByRole('link', { name: 'Aggregate shelf/L-1' }).click();
  await page.getByRole('heading', { level: 1, name: 'shelf/L-1' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(ticket);
  await page.getByRole('option', { name: ticket }).first().click();
  await page.waitForURL(new RegExp(`ticket=${ticket}`));
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Confirmed').waitFor();
  await visitor.check();
  await drawer.getByRole('link').first().click();
  await page.waitForURL(/\/orders\/\d+$/);
});

test('a click outside a dialog preserves its input', async () => {
  await site.request('POST', '/wallets/9/entries', { amount: 6000, kind: 'topup', reference: 'opening' });
  const visitor = await site.enter('/wallets/9');
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  for (const [button, field] of [['Credit or debit', 'Amount']] as const) {
    await page.getByRole('button', { name: button }).click();
    await dialog.getByRole('textbox', { name: field }).fill('12.00');
    await page.mouse.click(5, 400);
    if (!(await dialog.isVisible())) await page.getByRole('button', { name: button }).click();
    expect(await dialog.getByRole('textbox', { name: field }).inputValue()).toBe('12.00');
  }
  await visitor.visit('/items');
  await page.getByRole('button', { name: 'New item' }).first().click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Typed');
  await page.mouse.click(5, 400);
  if (!(await dialog.isVisible())) await page.getByRole('button', { name: 'New item' }).first().click();
  expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Typed');
});

test('a finished order has no text with “yet”', async () => {
  const order = await site.request<{ id: number; etag: string }>('POST', '/orders', { userId: 8, items: [{ sku: 'LIST-1', quantity: 1 }] });
  await site.request('POST', `/orders/${order.id}/cancel`, { reason: 'Ordered twice' }, { 'If-Match': order.etag });
  const visitor = await site.enter(`/orders/${order.id}`);
  await visitor.page.getByText('Ordered twice').first().waitFor();
  expect(await visitor.page.getByRole('region', { name: 'Facts' }).innerText()).not.toContain('yet');
});

test('the tile for expiring records counts the rows of its list', async () => {
  const campaign = (name: string, days: number) =>
    site.request<{ id: number }>('POST', '/coupon-campaigns', {
      name,
      kind: 'amount',
      value: 500,
      total: 10,
      perUser: 1,
      validFrom: new Date(Date.now() - day).toISOString(),
      validTo: new Date(Date.now() + days * day).toISOString(),
    });
  const soon = await campaign('Soon over', 2);
  const late = await campaign('Later', 60);
  await site.request('POST', `/coupon-campaigns/${soon.id}/coupons`, { count: 3 });
  await site.request('POST', `/coupon-campaigns/${late.id}/coupons`, { count: 5 });
  const visitor = await site.enter('/');
  const { page } = visitor;
  const tile = page.getByRole('link', { name: /^Expiring soon/ });
  await tile.getByText('3', { exact: true }).waitFor();
  await tile.click();
  await page.getByText('1–3 of 3').waitFor();
});

nightly('the audit log, rejections and field errors are Chinese', async () => {
  await site.request('POST', '/configs', {
    key: 'zh.schema',
    valueType: 'json',
    value: { size: 1 },
    schema: { type: 'object', properties: { size: { type: 'integer', maximum: 9 } } },
  });
  const visitor = await site.enter('/audit-log', admin, { look: { language: 'zh', colours: 'light', width: 1280 } });
  const { page } = visitor;
  const actions = page.locator('tbody td:nth-child(3)');
  for (const words of await actions.allInnerTexts()) expect(words).toMatch(/^[\u4e00-\u9fff]+$/);

  await visitor.visit('/configs/zh.schema');
  const value = page.getByRole('textbox', { name: '值', exact: true });
  await value.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"size": "large"}');
  await page.locator('form button[type=submit]').click();
  const fault = await page.getByRole('alert').first().innerText();
  expect(fault.replace(/zh\.schema|size|schema|JSON|\/\w+/gi, '')).not.toMatch(/[A-Za-z]{3}/);

  await visitor.visit('/items/NOTHING-HERE');
  const missing = await page.locator('main').innerText();
  expect(missing.replace(/NOTHING-HERE/g, '')).not.toMatch(/[A-Za-z]{3}/);
});
