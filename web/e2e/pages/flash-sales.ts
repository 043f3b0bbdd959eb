import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

const hour = 3_600_000;
const at = (hours: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + hours * hour).toISOString();
const terms = {
  name: '11.11 Tea set, first wave',
  sku: 'FLASH-TEA',
  price: 9900,
  quantity: 10_000,
  perUserLimit: 2,
  startsTime: at(-1),
  endsTime: at(3),
  queueCap: 5000,
  rate: 800,
};

interface Sale {
  id: number;
  etag: string;
}

/** The sales of these pages by name; created once for all looks. */
const ids = new Map<string, number>();
let ask: ApiRequest;

async function make(change: Partial<typeof terms> = {}): Promise<Sale> {
  const made = await ask<Sale>('POST', '/flash-sales', { ...terms, ...change });
  ids.set(change.name ?? terms.name, made.id);
  return made;
}

/** The address of a sale, whose id is only known after its creation. */
const pageOf =
  (name: string, rest = '') =>
  () =>
    `/flash-sales/${ids.get(name) ?? 0}${rest}`;

const shown = (name: string) => (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor();

const cockpit = async (page: Page) => {
  await page.getByText(/✓ (balanced|平衡)/).waitFor();
  await page.locator('canvas').first().waitFor();
};

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const dialogButton = (page: Page, en: string, zh: string) => page.getByRole('dialog').getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });

/** A faked list of dead letters; no customer action creates one. */
const dead = {
  items: [
    {
      messageId: '3Q7K2M9XZTVA0B1C2D3E4F5G6H7J8K9M',
      userId: '88213',
      quantity: 1,
      error: 'item FLASH-TEA is withdrawn for this region',
      attempts: 5,
      crashes: 0,
      enqueuedTime: at(-1),
      deadTime: at(-1),
      ageSeconds: 41.2,
    },
    {
      messageId: '5R8L3N0YAUWB1C2D3E4F5G6H7J8K9MAB',
      userId: '10077',
      quantity: 2,
      error: 'the address is missing',
      attempts: 5,
      crashes: 1,
      enqueuedTime: at(-1),
      deadTime: at(-1),
      ageSeconds: 3800,
    },
  ],
  nextCursor: null,
  total: 2,
};

const deadTab = async (page: Page) => {
  await page.route('**/dead?*', (route) => route.fulfill({ json: dead }), { times: 1 });
  await page.goto(pageOf(terms.name, '?tab=dead')());
  await page
    .getByText(/88213/)
    .or(page.getByText(/3Q7K2M/))
    .first()
    .waitFor();
};

const pages: PageUnderTest[] = [
  {
    name: 'flash-sales-list',
    path: '/flash-sales',
    prepare: async (request) => {
      ask = request;
      await request('POST', '/items', { sku: 'FLASH-TEA', name: 'Tea set, six cups', price: 19_900 });
      await request('POST', '/inventory/FLASH-TEA/adjustments', { delta: 50_000, reason: 'Delivery', reference: 'delivery-flash' });
      const first = await make();
      await make({ name: 'Second wave', startsTime: at(24), endsTime: at(26), rate: undefined, queueCap: undefined });
      const paused = await make({ name: '双十二茶具抢购：新老顾客同享', quantity: 300, perUserLimit: 1 });
      const closed = await make({ name: 'Long over', quantity: 50 });
      for (const { id } of [first, paused, closed]) await request('POST', `/flash-sales/${id}/open`);
      await request('POST', `/flash-sales/${paused.id}/pause`);
      await request('POST', `/flash-sales/${closed.id}/close`);
      const { etag } = await request<Sale>('GET', `/flash-sales/${first.id}`);
      await request('PATCH', `/flash-sales/${first.id}`, { rate: 600, quantityDelta: 500 }, { 'If-Match': etag });
    },
    reach: async (page) => {
      await page.getByRole('link', { name: terms.name }).waitFor();
    },
  },
  { name: 'flash-sales-no-match', path: '/flash-sales?status=closed&sku=NOTHING' },
  {
    name: 'flash-sales-create',
    path: '/flash-sales',
    reach: async (page) => {
      await button(page, 'New flash sale', '新建抢购').first().click();
      await dialogButton(page, 'Create the sale', '创建抢购').click();
      await page.getByText(/Select an item that is for sale|请选择/).waitFor();
    },
  },
  { name: 'flash-sales-missing', path: '/flash-sales/999999' },
  { name: 'flash-sales-cockpit', path: pageOf(terms.name), reach: cockpit },
  { name: 'flash-sales-draft', path: pageOf('Second wave'), reach: shown('Second wave') },
  { name: 'flash-sales-closed', path: pageOf('Long over'), reach: shown('Long over') },
  {
    name: 'flash-sales-edit',
    path: pageOf(terms.name),
    reach: async (page) => {
      await cockpit(page);
      await button(page, 'Rate 600/s', '速率 600/秒').click();
      await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    },
  },
  {
    name: 'flash-sales-quantity',
    path: pageOf(terms.name),
    reach: async (page) => {
      await cockpit(page);
      await button(page, 'Quantity', '数量').click();
      await page.getByRole('dialog').getByRole('textbox').fill('-500');
      await page.getByText(/return to the item|退回商品库存/).waitFor();
    },
  },
  {
    name: 'flash-sales-close',
    path: pageOf(terms.name),
    reach: async (page) => {
      await cockpit(page);
      await button(page, 'Close…', '关闭…').click();
      await dialogButton(page, 'Close the sale', '关闭抢购').waitFor();
    },
  },
  { name: 'flash-sales-dead', path: '/flash-sales', reach: deadTab },
  {
    name: 'flash-sales-dead-verdicts',
    path: '/flash-sales',
    reach: async (page) => {
      await deadTab(page);
      await page.getByRole('checkbox').first().check();
      await page
        .getByRole('region', { name: /chosen|选/i })
        .getByRole('button', { name: /^(Retry|重试)$/ })
        .click();
      // They are not in the queue, as after a decision by another user.
      await dialogButton(page, 'Retry', '全部重试').click();
      await page
        .getByText(/another user has already decided|其他用户已处理/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'flash-sales-history',
    path: pageOf(terms.name, '?tab=history'),
    reach: async (page) => {
      await page.locator('ol li').nth(2).waitFor();
    },
  },
];

export default pages;
