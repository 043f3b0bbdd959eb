import { itemInStock } from './pages';
import { expect, nightly, tenantSite, test } from './site';

const li = 'li@example.com';
const path = '/customers/li@example.com';
/** The address as a link or as the service spells it. */
const address = /\/customers\/li(@|%40)example\.com$/;

interface Order {
  id: number;
  orderNo: string;
}

let order: Order;

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'CUST-1', name: 'Green tea', price: 6000 });
  await site.request('POST', '/wallets/li%40example.com/entries', { amount: 10_000, kind: 'topup', reference: 'psp-1' });
  order = await site.request<Order>('POST', '/orders', { userId: li, items: [{ sku: 'CUST-1', quantity: 2 }] }, { 'X-Idempotency-Key': 'basket-of-li' });
});

test('every user id links to the page of its customer', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await page
    .getByRole('row', { name: /li@example\.com/ })
    .getByRole('link', { name: li })
    .click();
  await page.waitForURL(address);
  await expect.poll(() => page.title()).toContain(li);
  const wallet = page.getByRole('region', { name: 'Wallet' });
  await wallet.getByText('¥100.00').waitFor();
  await page.getByRole('region', { name: 'Orders' }).getByRole('link', { name: order.orderNo }).waitFor();
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByText('+¥100.00, then ¥100.00').waitFor();
  await timeline.getByText(/^topup, for/).waitFor();
  await timeline.getByText('Pending', { exact: true }).waitFor();
  await visitor.inspect('customer');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(li);
  await page.getByRole('dialog').getByText(li, { exact: true }).first().click();
  await page.waitForURL(address);
});

test('the list of customers shows sums and links to each customer', async () => {
  const paid = await site.request<Order>('POST', '/orders', { userId: 'sums-7', items: [{ sku: 'CUST-1', quantity: 1 }], email: 'sums@example.com' });
  await site.request('POST', `/orders/${paid.id}/pay`, { method: 'external', reference: 'psp-sums' });
  const visitor = await site.enter('/customers');
  const { page } = visitor;
  const row = page.getByRole('row', { name: /sums-7/ });
  await row.getByText('sums@example.com').waitFor();
  await row.getByText('¥60.00').waitFor();
  await page
    .getByRole('row', { name: /li@example\.com/ })
    .getByText('¥100.00')
    .waitFor();
  await visitor.check('customers');
  await row.getByRole('link', { name: 'sums-7' }).click();
  await page.waitForURL(/\/customers\/sums-7$/);
  await page.getByRole('navigation').getByRole('link', { name: 'Customers' }).last().waitFor();
});

nightly('an order paid from the wallet is one chain in the timeline', async () => {
  const visitor = await site.enter(path);
  const { page } = visitor;
  await page.getByRole('button', { name: 'New order' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('textbox').first().inputValue()).toBe(li);
  await dialog
    .getByRole('textbox', { name: /Item 1/ })
    .or(dialog.getByRole('combobox', { name: 'Item 1' }))
    .first()
    .fill('CUST-');
  await page.getByRole('option', { name: /CUST-1/ }).click();
  await dialog.getByRole('button', { name: 'Place the order' }).click();
  await page.waitForURL('**/orders/*');

  await page.getByRole('button', { name: 'Record payment' }).click();
  const paying = page.getByRole('dialog');
  await paying.getByRole('radio', { name: /wallet/ }).check();
  await paying.getByText('¥40.00').waitFor();
  await visitor.check('order-pay-wallet');
  await paying.locator('button[type=submit]').click();
  await paying.waitFor({ state: 'detached' });

  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByRole('link', { name: '−¥60.00' }).waitFor();
  await timeline.getByText('balance ¥40.00').waitFor();
  await timeline.getByText(/1 reserved, \d/).waitFor();
  await visitor.check('order-timeline');
  await timeline.getByRole('link', { name: '−¥60.00' }).click();
  await page.waitForURL('**/wallets/**');
  await page.getByText('1–1 of 1').waitFor();
});

nightly('the timeline shows a refund of an externally paid order', async () => {
  const requested = await site.request<Order>('POST', '/orders', { userId: 'returning', items: [{ sku: 'CUST-1', quantity: 1 }] });
  await site.request('POST', `/orders/${requested.id}/pay`, { method: 'external', reference: 'psp-7' });
  const refund = await site.request<{ id: number }>('POST', `/orders/${requested.id}/refunds`, { amount: 2500, reason: 'A cup was broken' });
  const visitor = await site.enter('/customers/returning');
  const { page } = visitor;
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  const timelineSteps = timeline.locator('[data-part="refund"]');
  await timelineSteps.filter({ hasText: requested.orderNo }).filter({ hasText: '¥25.00' }).filter({ hasText: 'Requested' }).waitFor();
  await site.request('POST', `/refunds/${refund.id}/reject`, { reason: 'It arrived whole' });
  await timelineSteps.filter({ hasText: 'Rejected' }).waitFor();
  await visitor.check('customer-refunds');
  await timelineSteps.getByRole('link', { name: '¥25.00' }).first().click();
  await page.waitForURL(`**/refunds/${refund.id}`);
});

nightly('an insufficient wallet is reported before the request', async () => {
  const poor = await site.request<Order>('POST', '/orders', { userId: 'poor', items: [{ sku: 'CUST-1', quantity: 1 }] });
  const visitor = await site.enter(`/orders/${poor.id}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Record payment' }).click();
  const paying = page.getByRole('dialog');
  await paying.getByRole('radio', { name: /wallet/ }).check();
  await paying.getByText(/¥60\.00 is missing/).waitFor();
  expect(await paying.locator('button[type=submit]').isDisabled()).toBe(true);
  await paying.getByRole('radio', { name: /outside/ }).check();
  await paying.getByRole('textbox', { name: 'Reference' }).fill('psp-8');
  await paying.locator('button[type=submit]').click();
  await paying.waitFor({ state: 'detached' });
});

test('a timeline step names its request and idempotency key', async () => {
  const visitor = await site.enter(`/orders/${order.id}`);
  const { page } = visitor;
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByRole('link', { name: 'basket-of-li' }).click();
  await page.waitForURL('**/idempotency-keys?key=basket-of-li');
  await page.getByText('POST /api/v1/orders').waitFor();
  await visitor.close();
  // Every customer id has a page; an invalid id has none.
  expect(await site.request('GET', '/search?q=li@example.com')).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ kind: 'user', href: path })]),
  });
});

nightly('numbers, users, skus, coupons, tickets and keys each open a timeline', async () => {
  const { request } = site;
  const day = 86_400_000;
  const [yesterday, tomorrow] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
  const campaign = await request<{ id: number }>('POST', '/coupon-campaigns', {
    name: 'Chain',
    kind: 'amount',
    value: 500,
    total: 5,
    perUser: 5,
    validFrom: yesterday,
    validTo: tomorrow,
  });
  const { codes } = await request<{ codes: string[] }>('POST', `/coupon-campaigns/${campaign.id}/coupons`, { userIds: ['chain-1'] });
  const [code = ''] = codes;
  await request('POST', '/wallets/chain-1/entries', { amount: 20_000, kind: 'topup', reference: 'psp-chain' });
  const body = { userId: 'chain-1', items: [{ sku: 'CUST-1', quantity: 2 }], couponCode: code };
  const placed = await request<Order>('POST', '/orders', body, { 'X-Idempotency-Key': 'chain-basket' });
  await request('POST', `/orders/${placed.id}/pay`, { method: 'wallet' }, { 'X-Idempotency-Key': 'chain-pay' });
  const sale = await request<{ id: number }>('POST', '/flash-sales', {
    name: 'Chained',
    sku: 'CUST-1',
    price: 990,
    quantity: 4,
    perUserLimit: 1,
    startsTime: yesterday,
    endsTime: tomorrow,
  });
  await request('POST', `/flash-sales/${sale.id}/open`);
  const { ticket } = await site.buy(sale.id, 'chain-1');
  await expect.poll(() => request('GET', `/flash-sales/${sale.id}/tickets/${ticket}`)).toMatchObject({ status: 'confirmed' });

  const visitor = await site.enter('/');
  const { page } = visitor;
  const steps = page.getByRole('list', { name: 'Events, newest first' });
  /** The parts of each step, oldest first. */
  const timelineSteps = async () => {
    await steps.getByRole('listitem').first().waitFor();
    const all = await steps.evaluate((list) =>
      [...list.children].map((step) => [...step.querySelectorAll('[data-part]')].map((part) => part.getAttribute('data-part'))),
    );
    return all.reverse();
  };
  const ask = async (q: string) => {
    await page.getByRole('searchbox', { name: /^Order number, user/ }).fill(q);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('region', { name: 'Timeline' }).getByText(q, { exact: true }).first().waitFor();
  };

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(placed.orderNo);
  await page.getByRole('dialog').getByText(`Timeline of ${placed.orderNo}`).click();
  await page.waitForURL('**/timeline?**');
  const ofOrder = [['coupon'], ['request', 'stock', 'coupon', 'order'], ['request', 'money', 'order']];
  expect(await timelineSteps()).toEqual(ofOrder);
  const text = (await steps.innerText()).replace(/\s+/g, ' ');
  expect(text).toMatch(/Stock CUST-1 −2, \d[\d,]* available v\d+/);
  expect(text).toContain('Balance chain-1 −¥115.00, then ¥85.00');
  await visitor.inspect('timeline-order');

  await ask(code);
  expect(await timelineSteps()).toEqual([['request', 'coupon'], ...ofOrder.slice(1)]);
  await ask('chain-basket');
  expect((await timelineSteps()).flat()).toEqual(expect.arrayContaining(['key', 'request', 'stock', 'money', 'order']));
  expect(await steps.locator('[data-requested]').innerText()).toContain('chain-basket');
  await ask(ticket);
  expect((await timelineSteps()).at(-1)).toEqual(['request', 'queue', 'order']);
  await ask('CUST-1');
  expect((await timelineSteps()).flat()).toEqual(expect.arrayContaining(['request', 'stock']));
  await ask('chain-1');
  expect((await timelineSteps()).flat()).toEqual(expect.arrayContaining(['queue', 'money', 'coupon', 'order']));
  await visitor.check('timeline-user');
  // The timeline updates automatically.
  await site.asLi('POST', `/orders/${placed.id}/ship`, { carrier: 'DHL', trackingNo: 'JD01' });
  await steps.getByText('Shipped').waitFor();

  await page.getByRole('searchbox', { name: /^Order number, user/ }).fill('CUST');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('No record has the name “CUST”').waitFor();
  await page.getByRole('link', { name: 'CUST-1' }).click();
  await steps.getByRole('listitem').first().waitFor();
});
