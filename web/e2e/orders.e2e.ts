import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { itemInStock, payFromWallet } from './pages';
import { admin } from './service';
import { expect, li, nightly, tenantSite, test } from './site';

interface Placed {
  id: number;
  orderNo: string;
}

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'TEA-1', name: 'Green tea', price: 6000 });
});

const place = () => site.request<Placed>('POST', '/orders', { userId: 12, items: [{ sku: 'TEA-1', quantity: 1 }] });
/** An order that can be shipped, and cancelled until then. */
const placePaid = async () => {
  const order = await place();
  await site.request('POST', `/orders/${order.id}/pay`, { method: 'external', reference: order.orderNo });
  return order;
};
/** Ships the order of the open page; `units` are the units of its first line, all by default. */
const ship = async (page: Page, units?: string) => {
  const dialog = page.getByRole('dialog');
  await page.locator('header').getByRole('button', { name: 'Ship' }).click();
  await dialog.getByRole('textbox', { name: 'Carrier' }).fill('DHL');
  await dialog.getByRole('textbox', { name: 'Tracking number' }).fill('JD9');
  if (units !== undefined) await dialog.getByRole('textbox', { name: 'Green tea' }).fill(units);
  await dialog.getByRole('button', { name: 'Ship' }).click();
};

test('the loser of a race reads the winner and the allowed actions', async () => {
  const { id, orderNo } = await placePaid();
  const first = await site.enter(`/orders/${id}`, admin, { withoutStream: true });
  const second = await site.enter(`/orders/${id}`, li);
  await first.page.getByRole('button', { name: 'Cancel the order' }).click();
  await first.page.getByRole('textbox', { name: 'Reason' }).fill('The customer changed their mind.');
  await ship(second.page);
  await second.page.getByText(`Order ${orderNo} is now all shipped.`).waitFor();

  await first.page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();

  await first.page.getByText(/Already shipped by Li .*, ¥60\.00/).waitFor();
  await first.page.getByText('Available actions: Complete.').waitFor();
  await first.page.getByRole('button', { name: 'Complete' }).waitFor();
  expect(await first.page.getByRole('button', { name: 'Cancel the order' }).count()).toBe(0);
  await first.page.getByText('shipped it').waitFor();
  await first.check('orders-lost');
});

test('an open dialog reports a status change and the remaining actions', async () => {
  const { id } = await placePaid();
  const [first, second] = await site.two(`/orders/${id}`);
  await first.page.getByText('Live').first().waitFor();
  await first.page.getByRole('button', { name: 'Cancel the order' }).click();
  await first.page.getByRole('textbox', { name: 'Reason' }).fill('The customer changed their mind.');
  await ship(second.page);

  const dialog = first.page.getByRole('dialog');
  await dialog.getByText(/Changed to shipped by Li /).waitFor();
  await dialog.getByText('Available actions: Complete.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Cancel the order' }).isDisabled()).toBe(true);
  expect(await dialog.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('The customer changed their mind.');
  await first.check('orders-moved');
  expect(await site.request('GET', `/orders/${id}`)).toMatchObject({ status: 'shipped', version: 3 });
});

test('an order with a rejected line is corrected and placed', async () => {
  await itemInStock(site.request, { sku: 'POT-1', name: 'Iron kettle', price: 25800 });
  await site.request('POST', '/items', { sku: 'POT-2', name: 'Iron kettle, large', price: 39800, status: 'archived' });
  const before = (await site.request<{ total: number }>('GET', '/orders?userId=77&limit=1')).total;
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await page.getByRole('button', { name: 'New order' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'User id' }).fill('77');
  await dialog.getByRole('combobox', { name: 'Item 1' }).fill('iron');
  await page.getByRole('option', { name: /POT-1/ }).click();
  expect(await page.getByRole('option', { name: /POT-2/ }).count()).toBe(0);
  await dialog.getByLabel('Quantity 1').fill('2');
  await dialog.getByText('¥516.00').first().waitFor();
  await dialog.getByRole('button', { name: 'Add a line' }).click();
  await dialog.getByRole('combobox', { name: 'Item 2' }).fill('POT-2');
  await dialog.getByLabel('Quantity 2').fill('1');
  await dialog.getByText('This item is not for sale.').waitFor();

  await dialog.getByRole('button', { name: 'Place the order' }).click();
  await dialog.getByText('No item for sale has this SKU.').waitFor();
  await visitor.check('orders-new-refused');
  await dialog.getByRole('button', { name: 'Remove line 2' }).click();
  await dialog.getByRole('button', { name: 'Place the order' }).click();

  await page.getByText(/Order .* was placed\./).waitFor();
  await page.waitForURL(/\/orders\/\d+$/);
  const placed = await site.request<{ total: number; items: { amount: number }[] }>('GET', '/orders?userId=77&limit=1');
  expect(placed).toMatchObject({ total: before + 1, items: [{ amount: 51600, items: [{ sku: 'POT-1', quantity: 2 }] }] });
});

test('an order with a lost reply is retried after a reload', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await page.getByRole('button', { name: 'New order' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'User id' }).fill('78');
  await dialog.getByRole('combobox', { name: 'Item 1' }).fill('TEA-1');
  const keys: (string | undefined)[] = [];
  await page.route('**/api/v1/orders', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    keys.push(route.request().headers()['x-idempotency-key']);
    return route.abort();
  });
  await dialog.getByRole('button', { name: 'Place the order' }).click();
  await dialog.getByText('The outcome of this request is still unknown.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'New order' }).first().click();
  await dialog.getByText('The outcome of this request is still unknown.').waitFor();
  expect(await dialog.getByRole('combobox', { name: 'Item 1' }).isDisabled()).toBe(true);
  await visitor.check();
  await dialog.getByRole('button', { name: 'Retry' }).click();
  // Each attempt is sent four times before the outcome counts as unknown.
  await expect.poll(() => keys.length).toBe(8);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
  await page.unroute('**/api/v1/orders');

  await dialog.getByRole('button', { name: 'Retry' }).click();

  await page.getByText(/Order .* was placed\./).waitFor();
  expect(await site.request('GET', '/orders?userId=78')).toMatchObject({ total: 1 });
});

nightly('every function of orders is reachable by keyboard', async () => {
  const orders = [await place(), await place(), await place()];
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  const press = async (target: Locator, ...keys: string[]) => {
    await tabTo(page, target);
    for (const key of keys) await page.keyboard.press(key);
  };
  const dialog = page.getByRole('dialog');

  // Places an order; the item is found by name.
  await press(page.getByRole('button', { name: 'New order' }), 'Enter');
  await press(dialog.getByRole('textbox', { name: 'User id' }));
  await page.keyboard.type('90');
  await press(dialog.getByRole('combobox', { name: 'Item 1' }));
  await page.keyboard.type('green');
  await page.getByRole('option', { name: /TEA-1/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await press(dialog.getByRole('button', { name: 'Place the order' }), 'Enter');
  await page.waitForURL(/\/orders\/\d+$/);

  // Performs all its transitions.
  const inputs = { 'Record payment': { Reference: 'PSP-9' }, Ship: { Carrier: 'DHL', 'Tracking number': 'JD9' }, Complete: {} };
  for (const [name, fields] of Object.entries(inputs)) {
    await press(page.locator('header').getByRole('button', { name, exact: true }), 'Enter');
    await dialog.waitFor();
    for (const [label, text] of Object.entries<string>(fields)) {
      await press(dialog.getByRole('textbox', { name: label }));
      await page.keyboard.type(text);
    }
    await press(dialog.getByRole('button', { name, exact: true }), 'Enter');
    await dialog.waitFor({ state: 'hidden' });
  }
  expect(await site.request('GET', '/orders?userId=90')).toMatchObject({ total: 1, items: [{ status: 'completed' }] });

  // Returns to the list: filters, opens a row, cancels the order.
  await press(page.locator('header nav').getByRole('link', { name: 'Orders' }), 'Enter');
  await visitor.settle();
  await press(page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /^Pending/ }), 'Enter');
  await page.waitForURL(/status=pending/);
  const [, second, third] = orders;
  await press(page.getByRole('link', { name: second?.orderNo }), 'Enter');
  await press(page.getByRole('button', { name: 'Cancel the order' }), 'Enter');
  await press(dialog.getByRole('textbox', { name: 'Reason' }));
  await page.keyboard.type('Ordered twice.');
  await press(dialog.getByRole('button', { name: 'Cancel the order' }), 'Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await site.request('GET', `/orders/${second?.id ?? 0}`)).toMatchObject({ status: 'cancelled' });

  // Then a bulk action.
  await page.goBack();
  await visitor.settle();
  await press(page.getByRole('checkbox', { name: third?.orderNo }), 'Space');
  await press(page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Mark as paid' }), 'Enter');
  await press(dialog.getByRole('textbox', { name: 'Reference' }));
  await page.keyboard.type('PSP-10');
  await press(dialog.getByRole('button', { name: /Mark as paid: 1 order/ }), 'Enter');
  await dialog.getByText(/1 done, 0 not done/).waitFor();
  await press(dialog.getByRole('button', { name: 'Close' }), 'Enter');
  expect(await site.request('GET', `/orders/${third?.id ?? 0}`)).toMatchObject({ status: 'paid' });
});

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let i = 0; i < 150; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target.toString()} cannot be reached by keyboard`);
}

nightly('230 orders are shipped in bulk with progress, verdicts and an export', async () => {
  const ids: number[] = [];
  for (let i = 0; i < 230; i += 10) ids.push(...(await Promise.all(Array.from({ length: 10 }, place))).map(({ id }) => id));
  await payFromWallet(site.request, '12', ids);
  // The tests before have left paid and shipped orders too.
  const countOf = async (status: string) => (await site.request<{ total: number }>('GET', `/orders?status=${status}&limit=1`)).total;
  const [paid, shipped] = [await countOf('paid'), await countOf('shipped')];
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /^Paid/ }).click();
  await page.waitForURL(/status=paid/);
  await page.reload();
  await visitor.settle();
  await page.getByText(/1–50 of 23\d/).waitFor();
  await visitor.check('orders-list');

  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('button', { name: /Choose all 23\d that match/ }).click();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Ship' }).click();
  await page.getByText(/23\d rows will be sent/).waitFor();
  // Another admin ships one of them between preview and run.
  await site.request('POST', `/orders/${ids[0] ?? 0}/ship`, { carrier: 'UPS', trackingNo: '1' });
  await page.getByRole('textbox', { name: 'Carrier' }).fill('DHL');
  await page.getByRole('textbox', { name: 'Tracking number' }).fill('JD01');
  await page.getByRole('button', { name: /Ship: 23\d orders/ }).click();
  await page.getByText(/^[12]00 of 23\d/).waitFor();

  await page.getByText(/\d+ done, 1 not done/).waitFor();
  await visitor.check('orders-bulk');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Results as CSV' }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe('orders-ship.csv');
  const verdicts = (await readFile(await file.path(), 'utf8')).trim().split('\r\n').slice(1);
  expect(verdicts).toHaveLength(paid);
  const failed = verdicts.filter((line) => !line.includes(',Done,'));
  expect(failed).toEqual([expect.stringContaining('cannot be shipped: admin shipped it on')]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('region', { name: 'Chosen rows' }).getByText('1 chosen').waitFor();
  expect(await countOf('shipped')).toBe(shipped + paid);
});
