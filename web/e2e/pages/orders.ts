import type { Page } from '@playwright/test';
import { itemInStock, type ApiRequest, type PageUnderTest } from '../pages';

/** The orders under test by status; created once for all looks. */
const ids = new Map<string, number>();
const numberOf = (name: string): number => ids.get(name) ?? 0;

interface Placed {
  id: number;
  etag: string;
}

/** The customer of the bulk orders: two orders for each look. */
const bulkUser = 4712;

async function place(request: ApiRequest, name: string, ...steps: [action: string, body: object][]): Promise<void> {
  const userId = name.startsWith('bulk') ? bulkUser : 4711;
  let order = await request<Placed>('POST', '/orders', {
    userId,
    items: [
      { sku: 'ORD-1', quantity: 2 },
      { sku: 'ORD-2', quantity: 1 },
    ],
  });
  for (const [action, body] of steps) order = await request<Placed>('POST', `/orders/${order.id}/${action}`, body, { 'If-Match': order.etag });
  ids.set(name, order.id);
}

const pay = (n: number): [string, object] => ['pay', { method: 'external', reference: `PSP-20260131-${n}` }];
const ship: [string, object] = ['ship', { carrier: 'SF Express', trackingNo: 'SF1400024811' }];

async function prepare(request: ApiRequest): Promise<void> {
  await itemInStock(request, { sku: 'ORD-1', name: 'Green tea, first flush, 100 g', price: 6000 });
  await itemInStock(request, { sku: 'ORD-2', name: '龙井绿茶礼盒', price: 25800 });
  await place(request, 'pending');
  await place(request, 'paid', pay(7));
  await place(request, 'shipped', pay(8), ship);
  await place(request, 'completed', pay(9), ship, ['complete', {}]);
  await place(request, 'cancelled', ['cancel', { reason: 'The customer ordered twice by mistake.' }]);
  for (let look = 0; look < 8; look++) {
    for (const name of ['moved', 'lost', 'bulk a', 'bulk b']) await place(request, `${name} ${look}`);
  }
}

const detail = (name: string): PageUnderTest => ({
  name: `order-${name}`,
  path: '/orders?userId=4711',
  reach: async (page) => open(page, numberOf(name)),
});

async function open(page: Page, id: number): Promise<void> {
  await page.locator(`a[href="/orders/${id}"]`).click();
  await page.locator('ol li').first().waitFor();
}

/** The buttons of the page header and of the dialog; their labels depend on the language. */
const action = (page: Page, n: number) => page.locator('header:has(h1) > div:not(:has(h1))').getByRole('button').nth(n);
const send = (page: Page) => page.getByRole('dialog').locator('button[type=submit]');

/** Another admin is first: through the API, while a dialog is open. */
async function overtake(page: Page, id: number): Promise<void> {
  const status = await page.evaluate(async (order) => {
    const session = (await (await fetch('/api/v1/session')).json()) as { csrfToken: string };
    const { etag } = (await (await fetch(`/api/v1/orders/${order}`)).json()) as { etag: string };
    const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': session.csrfToken, 'If-Match': etag };
    return (await fetch(`/api/v1/orders/${order}/pay`, { method: 'POST', headers, body: JSON.stringify({ method: 'external', reference: `PSP-${order}` }) }))
      .status;
  }, id);
  if (status !== 200) throw new Error(`the request of the other admin returned ${status}`);
}

/** How often each state that consumes an order was reached. */
const looked = { moved: 0, lost: 0 };

const pages: PageUnderTest[] = [
  { name: 'orders-list', path: '/orders?userId=4711', prepare },
  detail('pending'),
  detail('paid'),
  detail('shipped'),
  detail('completed'),
  detail('cancelled'),
  {
    name: 'order-ship-dialog',
    path: '/orders?userId=4711',
    reach: async (page) => {
      await open(page, numberOf('paid'));
      await action(page, 0).click();
      await send(page).click();
      await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'order-moved',
    path: '/orders?userId=4711',
    reach: async (page) => {
      const id = numberOf(`moved ${looked.moved++}`);
      await open(page, id);
      await action(page, 1).click();
      await overtake(page, id);
      await page.getByRole('dialog').getByRole('status').waitFor();
    },
  },
  {
    name: 'order-lost',
    path: '/orders?userId=4711',
    reach: async (page) => {
      // Without the stream the page learns of the other admin only by the rejection.
      await page.route('**/api/v1/events', (route) => route.abort());
      await page.reload();
      const id = numberOf(`lost ${looked.lost++}`);
      await open(page, id);
      await action(page, 1).click();
      await page.getByRole('dialog').getByRole('textbox').fill('Ordered twice.');
      await overtake(page, id);
      await send(page).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.locator('main').getByRole('status').waitFor();
      await page.unroute('**/api/v1/events');
    },
  },
  {
    name: 'orders-bulk-verdicts',
    path: `/orders?userId=${bulkUser}&status=pending&limit=25`,
    reach: async (page) => {
      const rows = page.locator('tbody input[type=checkbox]');
      await rows.nth(0).check();
      await rows.nth(1).check();
      const first = (await page.locator('tbody a').first().getAttribute('href')) ?? '';
      await page
        .getByRole('region')
        .getByRole('button', { name: /^(Mark as paid|标记为已付款)$/ })
        .click();
      const id = Number(first.split('/').at(-1));
      await page.getByRole('dialog').getByRole('textbox').first().fill(`BULK-${id}`);
      await page.getByRole('dialog').locator('button[type=submit]:enabled').waitFor();
      await overtake(page, id);
      await send(page).click();
      await page
        .getByRole('dialog')
        .getByText(/1 done, 1 not done|完成 1 个，未完成 1 个/)
        .waitFor();
    },
  },
  {
    name: 'orders-bulk-preview',
    path: '/orders?userId=4711',
    reach: async (page) => {
      await page.locator('thead input[type=checkbox]').check();
      await page
        .getByRole('region')
        .getByRole('button', { name: /^(Ship|发货)$/ })
        .click();
      await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    },
  },
  {
    name: 'orders-new',
    path: '/orders?userId=4711',
    reach: async (page) => {
      await action(page, 0).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').first().fill('4711');
      await dialog.getByRole('combobox', { name: /^(Item|商品) 1$/ }).fill('ORD-');
      await page.getByRole('option', { name: /ORD-1/ }).click();
      await dialog.getByText('¥60.00').first().waitFor();
    },
  },
  {
    name: 'orders-new-mistakes',
    path: '/orders?userId=4711',
    reach: async (page) => {
      await action(page, 0).click();
      const dialog = page.getByRole('dialog');
      const discard = dialog.getByRole('button', { name: /^(Discard|丢弃)$/ });
      if (await discard.isVisible()) await discard.click();
      await dialog.getByRole('textbox').first().fill('4711');
      await dialog.getByRole('combobox', { name: /^(Item|商品) 1$/ }).fill('NOTHING-9');
      await dialog.getByRole('textbox').last().fill('NO-COUPON');
      await send(page).click();
      await dialog.locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'search-found',
    path: '/',
    reach: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('ord');
      await page.getByRole('dialog').getByText('ORD-1').waitFor();
    },
  },
];

export default pages;
