import { expect, test } from 'vitest';
import { apiOf, itemInStock } from './pages';
import { admin } from './service';
import { ownSite } from './site';

const li = 'li@example.com';
const path = '/customers/li@example.com';
/** As a link writes it, or as the service does. */
const address = /\/customers\/li(@|%40)example\.com$/;

interface Order {
  id: number;
  orderNo: string;
}

let order: Order;

const site = ownSite(async () => {
  await itemInStock(site.request, { sku: 'CUST-1', name: 'Green tea', price: 6000 });
  await site.request('POST', '/wallets/li%40example.com/entries', { amount: 10_000, kind: 'topup', reference: 'psp-1' });
  order = await site.request<Order>('POST', '/orders', { userId: li, items: [{ sku: 'CUST-1', quantity: 2 }] }, { 'X-Idempotency-Key': 'basket-of-li' });
});

test('a customer has one page, which every user id leads to', async () => {
  const visitor = await site.open();
  const { page } = visitor;
  await visitor.signIn(admin, '/orders');
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
  await timeline.getByText('¥100.00 came into the wallet: topup').waitFor();
  await timeline.getByText(/placed/).waitFor();
  await visitor.check();
  await visitor.shoot('customer');
  await visitor.turn('dark');
  await visitor.check();
  await visitor.shoot('customer-dark');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('textbox').fill(li);
  await page.getByRole('dialog').getByText(li, { exact: true }).first().click();
  await page.waitForURL(address);
  await visitor.close();
});

test('an order is placed, paid from the wallet and told of as one chain', async () => {
  const visitor = await site.open();
  const { page } = visitor;
  await visitor.signIn(admin, path);
  await page.getByRole('button', { name: 'New order' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('textbox').first().inputValue()).toBe(li);
  await dialog
    .getByRole('textbox', { name: /Item 1/ })
    .or(dialog.getByLabel('Item 1'))
    .first()
    .fill('CUST-');
  await page.getByRole('option', { name: /CUST-1/ }).click();
  await dialog.getByRole('button', { name: 'Place the order' }).click();
  await page.waitForURL('**/orders/*');

  await page
    .getByRole('button', { name: 'Pay', exact: true })
    .or(page.getByRole('button', { name: 'Mark as paid' }))
    .first()
    .click();
  const paying = page.getByRole('dialog');
  await paying.getByRole('radio', { name: /wallet/ }).check();
  await paying.getByText('¥40.00').waitFor();
  await visitor.check();
  await visitor.shoot('order-pay-wallet');
  await paying.locator('button[type=submit]').click();
  await paying.waitFor({ state: 'detached' });

  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByRole('link', { name: '−¥60.00' }).waitFor();
  await timeline.getByText('balance ¥40.00').waitFor();
  await timeline.getByText(/1 reserved, \d/).waitFor();
  await visitor.check();
  await visitor.shoot('order-timeline');
  await timeline.getByRole('link', { name: '−¥60.00' }).click();
  await page.waitForURL('**/wallets/**');
  await page.getByText('1–1 of 1').waitFor();
  await visitor.close();
});

test('what the wallet cannot pay is said before it is sent', async () => {
  const poor = await site.request<Order>('POST', '/orders', { userId: 'poor', items: [{ sku: 'CUST-1', quantity: 1 }] });
  const visitor = await site.open();
  const { page } = visitor;
  await visitor.signIn(admin, `/orders/${poor.id}`);
  await page
    .getByRole('button', { name: 'Pay', exact: true })
    .or(page.getByRole('button', { name: 'Mark as paid' }))
    .first()
    .click();
  const paying = page.getByRole('dialog');
  await paying.getByRole('radio', { name: /wallet/ }).check();
  await paying.getByText(/¥60\.00 short/).waitFor();
  expect(await paying.locator('button[type=submit]').isDisabled()).toBe(true);
  await paying.getByRole('radio', { name: /outside|Outside/ }).check();
  await paying.locator('button[type=submit]').click();
  await paying.waitFor({ state: 'detached' });
  await visitor.close();
});

test('a step names the request and the key that asked for it', async () => {
  const visitor = await site.open();
  const { page } = visitor;
  await visitor.signIn(admin, `/orders/${order.id}`);
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByRole('link', { name: 'basket-of-li' }).click();
  await page.waitForURL('**/idempotency-keys?key=basket-of-li');
  await page.getByText('POST /api/v1/orders').waitFor();
  await visitor.close();
  // Nobody is left without a page, and a name that is none has none.
  const request = await apiOf(site.service.address, admin);
  expect(await request('GET', '/search?q=li@example.com')).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ kind: 'user', href: path })]) as unknown,
  });
});
