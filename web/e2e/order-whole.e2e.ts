import type { Page } from '@playwright/test';
import { itemInStock } from './pages';
import { admin } from './service';
import { expect, li, tenantSite, test } from './site';

interface Placed {
  id: number;
  orderNo: string;
}

interface Payment {
  id: number;
  status: string;
  amount: number;
  orderId: number;
}

const user = 'whole-12';
const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'TEA-1', name: 'Green tea', price: 6000 });
  await itemInStock(site.request, { sku: 'POT-1', name: 'Iron kettle', price: 20_000 });
  await site.request('POST', `/wallets/${user}/entries`, { amount: 100_000, kind: 'topup', reference: 'opening' });
});

const place = (quantity = 2) => site.request<Placed>('POST', '/orders', { userId: user, items: [{ sku: 'TEA-1', quantity }] });
const pay = (id: number, body: object) => site.request<Payment>('POST', `/orders/${id}/payments`, body);
const orderNow = (id: number) => site.request<Record<string, unknown>>('GET', `/orders/${id}`);
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const step = (page: Page, name: string) => page.locator('header').getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

test('a partial payment is applied, and one above the due amount is unmatched', async () => {
  const { id } = await place();
  const visitor = await site.enter(`/orders/${id}`);
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  await step(page, 'Record payment').click();
  const amount = dialog.getByRole('textbox', { name: 'Amount' });
  expect(await amount.inputValue()).toBe('120.00');
  await inDialog(page, 'Record payment').click();
  await dialog.getByText('Required.').waitFor();
  await amount.fill('50.00');
  await dialog.getByRole('textbox', { name: 'Reference' }).fill('PSP-1');
  await dialog.getByRole('textbox', { name: 'Provider' }).fill('stripe');
  await visitor.check('order-payment');
  await inDialog(page, 'Record payment').click();
  await page.getByText(/^Payment \d+ of ¥50\.00 was recorded\.$/).waitFor();
  await page.locator('header').getByText('Partly paid').waitFor();
  // The dialog was opened from the header; the focus returns to its button.
  await expect.poll(() => step(page, 'Record payment').evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await orderNow(id)).toMatchObject({ paid: 5000, due: 7000, paymentStatus: 'partly_paid' });

  // A transfer of more than is due is recorded, and does not change the order.
  await region(page, 'Payments').getByRole('button', { name: 'Add payment' }).click();
  expect(await amount.inputValue()).toBe('70.00');
  await amount.fill('90.00');
  await dialog.getByRole('textbox', { name: 'Reference' }).fill('PSP-2');
  await dialog.getByText('Only ¥70.00 is due.').waitFor();
  await visitor.check('order-payment-exceeds');
  await inDialog(page, 'Record payment').click();
  await page.getByText(/^Payment \d+ of ¥90\.00 was recorded as unmatched/).waitFor();
  await region(page, 'Payments').getByText('Unmatched').waitFor();
  expect(await orderNow(id)).toMatchObject({ paid: 5000, due: 7000 });

  // The wallet pays the rest.
  await step(page, 'Record payment').click();
  await dialog.getByRole('radio', { name: /wallet/ }).check();
  await dialog.getByText('Balance after payment: ¥930.00.').waitFor();
  await inDialog(page, 'Record payment').click();
  await page.locator('header').getByText('Fully paid').waitFor();
  expect(await step(page, 'Record payment').count()).toBe(0);
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByText('recorded a part of its payment').waitFor();
  await timeline.getByRole('link', { name: '−¥70.00' }).waitFor();
  await visitor.check('order-paid-in-parts');
});

test('another admin sees that an unmatched payment was applied', async () => {
  const [first, second] = [await place(1), await place(1)];
  const unmatched = await pay(first.id, { method: 'external', reference: 'PSP-3', amount: 6000 });
  expect(unmatched.status).toBe('applied');
  const extra = await pay(first.id, { method: 'external', reference: 'PSP-4', amount: 6000 });
  expect(extra.status).toBe('unmatched');
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await page.getByRole('link', { name: 'Unmatched payments' }).click();
  await page.getByRole('link', { name: `Payment ${extra.id}`, exact: true }).click();
  const other = await site.enter(`/payments/${extra.id}`, li, { withoutStream: true });
  await other.page.getByRole('button', { name: 'Send back…' }).click();
  await other.page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('The customer paid twice.');

  await page.getByRole('button', { name: 'Apply to an order…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Order id' }).fill(String(second.id));
  await dialog.getByText(`Order ${second.orderNo}: ¥60.00 is due.`).waitFor();
  await visitor.check('payment-apply');
  await inDialog(page, 'Apply').click();
  await page.getByText(`Payment ${extra.id}: applied, ¥60.00.`).waitFor();
  expect(await orderNow(second.id)).toMatchObject({ status: 'paid', paid: 6000, due: 0 });

  await inDialog(other.page, 'Mark as sent back').click();
  await other.page.getByText(/^Already applied by .*, ¥60\.00$/).waitFor();
  await other.check('payment-lost');
});

test('a payment is refunded by a user who did not record it', async () => {
  const { id } = await place(1);
  await pay(id, { method: 'external', reference: 'PSP-5' });
  const extra = await pay(id, { method: 'external', reference: 'PSP-6', amount: 100 });
  const [own, other] = [await site.enter(`/payments/${extra.id}`), await site.enter(`/payments/${extra.id}`, li)];
  await own.page.getByText('You recorded this payment, so another user has to send it back.').waitFor();
  expect(await own.page.getByRole('button', { name: 'Send back…' }).isDisabled()).toBe(true);
  await own.check('payment-own');

  await other.page.getByRole('button', { name: 'Send back…' }).click();
  await other.page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('The customer paid twice.');
  await inDialog(other.page, 'Mark as sent back').click();
  await other.page.getByText(`Payment ${extra.id}: refunded, ¥1.00.`).waitFor();
  await own.page.getByText('Refunded', { exact: true }).first().waitFor();
  expect(await orderNow(id)).toMatchObject({ paid: 6000, refunded: 0 });
});

test('an order is partly shipped until its second parcel', async () => {
  const { id, orderNo } = await place(3);
  await pay(id, { method: 'external', reference: 'PSP-7' });
  const visitor = await site.enter(`/orders/${id}`);
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  await step(page, 'Ship').click();
  const units = dialog.getByRole('textbox', { name: 'Green tea' });
  expect(await units.inputValue()).toBe('3');
  await dialog.getByRole('textbox', { name: 'Carrier' }).fill('DHL');
  await dialog.getByRole('textbox', { name: 'Tracking number' }).fill('JD-1');
  await units.fill('4');
  await inDialog(page, 'Ship').click();
  await dialog.getByText('At most 3.').waitFor();
  await visitor.check('order-parcel');
  await units.fill('1');
  await inDialog(page, 'Ship').click();
  await page.getByText(`Order ${orderNo} is now partly shipped.`).waitFor();
  await region(page, 'Parcels').getByText('1 × Green tea').waitFor();
  expect(await orderNow(id)).toMatchObject({ status: 'paid', fulfilmentStatus: 'partly_shipped', items: [{ toShip: 2, shipped: 1 }] });
  // The customer has a unit, so the order cannot be cancelled any more.
  expect(await step(page, 'Cancel the order').count()).toBe(0);

  await page.goto(`${site.address}/orders`);
  await visitor.settle();
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'To pack' }).click();
  await page.waitForURL(/toShip=true/);
  await page.getByRole('link', { name: orderNo }).click();
  await region(page, 'Parcels').getByRole('button', { name: 'Add parcel' }).click();
  expect(await units.inputValue()).toBe('2');
  await dialog.getByRole('textbox', { name: 'Carrier' }).fill('DHL');
  await dialog.getByRole('textbox', { name: 'Tracking number' }).fill('JD-2');
  await inDialog(page, 'Ship').click();
  await page.getByText(`Order ${orderNo} is now all shipped.`).waitFor();
  await region(page, 'Parcels').getByText('JD-2').waitFor();
  expect(await orderNow(id)).toMatchObject({ status: 'shipped', fulfilmentStatus: 'shipped' });
  await visitor.check('order-parcels');
});

test('a cancellation previews its refunds', async () => {
  const { id } = await place();
  const external = await pay(id, { method: 'external', reference: 'PSP-8', amount: 5000 });
  const wallet = await pay(id, { method: 'wallet', reference: 'W-8' });
  const visitor = await site.enter(`/orders/${id}`);
  const { page } = visitor;
  await step(page, 'Cancel the order').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The cancellation refunds ¥120.00:').waitFor();
  await dialog.getByText(`¥50.00 of payment ${external.id}, as a refund that another user approves`).waitFor();
  await dialog.getByText(`¥70.00 of payment ${wallet.id}, to the wallet immediately`).waitFor();
  await visitor.check('order-cancel');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Ordered twice.');
  await inDialog(page, 'Cancel the order').click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await orderNow(id)).toMatchObject({ status: 'cancelled', refunded: 7000, refundReserved: 5000, refundable: 0 });
  await page.getByRole('complementary', { name: 'Timeline' }).getByRole('link', { name: '+¥70.00' }).waitFor();
});

test('the refund dialog shows the value and repays the chosen payment', async () => {
  const { id } = await place(3);
  await pay(id, { method: 'external', reference: 'PSP-9', amount: 6000 });
  const wallet = await pay(id, { method: 'wallet', reference: 'W-9' });
  const visitor = await site.enter(`/orders/${id}`);
  const { page } = visitor;
  await region(page, 'Refunds').getByRole('button', { name: 'Refund…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'All units' }).click();
  expect(await dialog.getByRole('textbox', { name: 'TEA-1: units' }).inputValue()).toBe('3');
  await dialog.getByText('Value of the units: ¥180.00').waitFor();
  await dialog.getByRole('textbox', { name: 'TEA-1: units' }).fill('2');
  await dialog.getByText('Value of the units: ¥120.00').waitFor();
  await dialog.getByRole('combobox', { name: 'Payment' }).selectOption(String(wallet.id));
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('They arrived open.');
  await visitor.check('order-refund');
  await inDialog(page, 'Request the refund').click();
  await page.getByText(/^Refund \d+ of ¥120\.00 was requested\.$/).waitFor();
  expect(await site.request('GET', `/refunds?orderId=${id}`)).toMatchObject({ items: [{ amount: 12_000, paymentId: wallet.id, method: 'wallet' }] });
});

test('edits of one order merge, except of the same field', async () => {
  const { id } = await place(1);
  const [first, second] = [await site.enter(`/orders/${id}`, admin, { withoutStream: true }), await site.enter(`/orders/${id}`, li)];
  for (const { page } of [first, second]) await region(page, 'Details').getByRole('button', { name: 'Edit' }).click();
  const dialogs = [first, second].map(({ page }) => page.getByRole('dialog'));
  const [mine, theirs] = [dialogs[0] as (typeof dialogs)[number], dialogs[1] as (typeof dialogs)[number]];
  const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: /^Save · v/ });

  await theirs.getByRole('textbox', { name: 'Note' }).fill('Ring twice.');
  await theirs.getByRole('textbox', { name: 'Tags' }).fill('gift\nvip');
  await save(second.page).click();
  await theirs.waitFor({ state: 'hidden' });
  await mine.getByRole('textbox', { name: 'Email' }).fill('ana@example.com');
  await mine.getByRole('textbox', { name: 'Metadata' }).fill('channel');
  await mine.getByText('Each line needs a name').waitFor();
  await first.check('order-edit');
  await mine.getByRole('textbox', { name: 'Metadata' }).fill('channel: app');
  await save(first.page).click();
  await first.page.getByText(/^Saved and merged with Li’s change to /).waitFor();
  expect(await orderNow(id)).toMatchObject({ note: 'Ring twice.', tags: ['gift', 'vip'], email: 'ana@example.com', metadata: { channel: 'app' } });
  await region(first.page, 'Details').getByText('gift', { exact: true }).waitFor();
  await region(first.page, 'Customer').getByRole('link', { name: 'ana@example.com' }).waitFor();

  for (const { page } of [first, second]) await region(page, 'Details').getByRole('button', { name: 'Edit' }).click();
  await theirs.getByRole('textbox', { name: 'Note' }).fill('Ring once.');
  await save(second.page).click();
  await theirs.waitFor({ state: 'hidden' });
  await mine.getByRole('textbox', { name: 'Note' }).fill('Ring three times.');
  await save(first.page).click();
  await mine.getByText('Ring once.').first().waitFor();
  await first.check('order-edit-contested');
  expect(await orderNow(id)).toMatchObject({ note: 'Ring once.' });
});

test('an order is placed with its addresses, shipping and terms', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await page.getByRole('button', { name: 'New order' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'User id' }).fill(user);
  await dialog.getByRole('combobox', { name: 'Item 1' }).fill('TEA-1');
  expect(await dialog.getByRole('textbox', { name: 'Shipping', exact: true }).count()).toBe(0);
  await dialog.getByRole('button', { name: /^Addresses/ }).click();
  await dialog.getByRole('textbox', { name: 'Shipping', exact: true }).fill('4.90');
  await dialog.getByText('¥64.90').waitFor();
  await dialog.getByRole('combobox', { name: 'Payment terms' }).selectOption('invoice');
  await dialog.getByRole('textbox', { name: 'Number in the storefront' }).fill('WEB-7');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Ring twice.');
  const address = dialog.getByRole('group', { name: 'Shipping address' });
  await address.getByRole('textbox', { name: 'Name' }).fill('Ana Lang');
  await visitor.check('order-new');
  await inDialog(page, 'Place the order').click();
  // The service rejects the incomplete address, and each message is at its input.
  await address.getByRole('textbox', { name: 'City', exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  await address.getByRole('textbox', { name: 'Street and number' }).fill('Hauptstr. 1');
  await address.getByRole('textbox', { name: 'City', exact: true }).fill('Berlin');
  await address.getByRole('textbox', { name: 'Country code' }).fill('DE');
  await inDialog(page, 'Place the order').click();
  await page.waitForURL(/\/orders\/\d+$/);
  const id = Number(page.url().split('/').at(-1));
  expect(await orderNow(id)).toMatchObject({
    shipping: 490,
    amount: 6490,
    paymentTerms: 'invoice',
    externalId: 'WEB-7',
    note: 'Ring twice.',
    shippingAddress: { name: 'Ana Lang', city: 'Berlin' },
  });
});

test('shipped units are returned, received and counted in the sales report', async () => {
  const { id, orderNo } = await place(3);
  await pay(id, { method: 'external', reference: 'PSP-10' });
  await site.request('POST', `/orders/${id}/shipments`, { carrier: 'DHL', trackingNo: 'JD-10' });
  const visitor = await site.enter(`/orders/${id}`);
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  await region(page, 'Returns').getByRole('button', { name: 'Request a return…' }).click();
  await inDialog(page, 'Request the return').click();
  await dialog.getByText('Select at least one unit.').waitFor();
  await dialog.getByRole('textbox', { name: 'Green tea' }).fill('2');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Two were damaged.');
  await visitor.check('order-return');
  await inDialog(page, 'Request the return').click();
  await region(page, 'Returns').getByText('2 × Green tea').waitFor();

  await page.goto(`${site.address}/orders`);
  await visitor.settle();
  await page.getByRole('link', { name: 'Returns to receive' }).click();
  await page.getByRole('link', { name: orderNo }).waitFor();
  await page
    .getByRole('link', { name: /^Return \d+$/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Receive/ }).click();
  await dialog.getByRole('textbox', { name: 'TEA-1: restocked' }).fill('1');
  await dialog.getByRole('textbox', { name: 'TEA-1: written off' }).fill('1');
  await visitor.check('return-receive');
  await inDialog(page, 'Receive').click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await orderNow(id)).toMatchObject({ items: [{ shipped: 3, returned: 2 }] });

  await page.goto(`${site.address}/reports/sales?by=sku`);
  await visitor.settle();
  const report = await site.request<{ rows: { key: string; units: number }[]; totals: { orders: number } }>('GET', '/reports/sales?by=sku');
  const units = report.rows.find(({ key }) => key === 'TEA-1')?.units ?? 0;
  expect(units).toBeGreaterThanOrEqual(3);
  const cells = page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: 'TEA-1' }) })
    .getByRole('cell');
  expect(await cells.nth(1).innerText()).toBe(String(units));
  await visitor.check('report-sku');
  await page.getByLabel('Period').selectOption('This month');
  const from = page.getByLabel('From this day');
  await expect(from).toHaveValue(/-01$/);
  await page.getByLabel('Period').selectOption('Last 30 days');
  await page.getByRole('button', { name: 'Day', exact: true }).click();
  await page.getByRole('img', { name: /^Net\./ }).waitFor();
  expect(await page.getByRole('row').last().getByRole('cell').first().innerText()).toBe(String(report.totals.orders));
  await visitor.check('report-day');
});
