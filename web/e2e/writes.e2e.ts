// Proves G3.19.

import type { Visitor } from './browser';
import { itemInStock, payFromWallet } from './pages';
import { inProgress, type Fate } from './proxy';
import { expect, nightly, tenantSite, test } from './site';

const day = 86_400_000;

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'TEA-1', name: 'Green tea', price: 6000 });
});

interface Order {
  id: number;
  status: string;
}

const ordersOf = async (userId: number) => (await site.request<{ total: number }>('GET', `/orders?userId=${userId}`)).total;
const place = (userId: number) => site.request<Order>('POST', '/orders', { userId, items: [{ sku: 'TEA-1', quantity: 1 }] });

const dialogOf = ({ page }: Visitor) => page.getByRole('dialog');
const submit = (visitor: Visitor) => dialogOf(visitor).locator('button[type=submit]');
/** Waits until the request has a reply or an unknown outcome. */
const settled = (visitor: Visitor) => dialogOf(visitor).locator('button[type=submit]:not([data-loading])').waitFor();

async function openOrder(visitor: Visitor, userId: number): Promise<void> {
  await visitor.page.getByRole('button', { name: 'New order' }).first().click();
  await dialogOf(visitor).getByRole('textbox', { name: 'User id' }).fill(String(userId));
  await dialogOf(visitor).getByRole('combobox', { name: 'Item 1' }).fill('TEA-1');
}

nightly('an order with a lost reply and repeats in progress is placed once', async () => {
  const { visitor, proxy } = await site.behindProxy('/orders');
  await openOrder(visitor, 101);
  let lost: string | undefined;
  proxy.rule(({ method, path, key }) => {
    if (method !== 'POST' || path !== '/api/v1/orders') return undefined;
    if (lost === undefined) {
      lost = key;
      return 'lose';
    }
    // The service returns this for the key until its first attempt has ended.
    return key === lost ? inProgress : undefined;
  });
  await submit(visitor).click();
  await expect.poll(() => proxy.count('POST', /\/orders$/)).toBeGreaterThan(3);
  await visitor.page
    .getByText(/The outcome of this request is still unknown|first attempt is still|The first attempt with this key/)
    .first()
    .waitFor();
  await settled(visitor);

  proxy.mend();
  await submit(visitor).click();

  await visitor.page.getByText(/Order .* was placed\./).waitFor();
  expect(proxy.keys(/\/orders$/)).toEqual([lost]);
  expect(await ordersOf(101)).toBe(1);
});

for (const [reply, fate, userId] of [
  ['502 after the commit', { after: 502 }, 111],
  ['504 after the commit', { after: 504 }, 112],
  ['half of its reply', 'truncate', 113],
] satisfies [string, Fate, number][])
  test(`an order after ${reply} is unknown, and is placed once`, async () => {
    const { visitor, proxy } = await site.behindProxy('/orders');
    await openOrder(visitor, userId);
    proxy.rule(({ method, path }) => (method === 'POST' && path === '/api/v1/orders' ? fate : undefined));
    await submit(visitor).click();
    await expect.poll(() => ordersOf(userId)).toBe(1);
    await settled(visitor);
    expect(await visitor.page.getByText(/nothing was changed/i).count()).toBe(0);
    await dialogOf(visitor)
      .getByText(/outcome of this request is still unknown|so the outcome is unknown/)
      .waitFor();
    await visitor.page.keyboard.press('Escape');
    await visitor.page.reload();
    await visitor.page.getByRole('button', { name: 'New order' }).first().click();
    expect(await dialogOf(visitor).getByRole('combobox', { name: 'Item 1' }).isDisabled()).toBe(true);
    proxy.mend();
    await submit(visitor).click();

    await visitor.page.getByText(/Order .* was placed\./).waitFor();
    expect(proxy.keys(/\/orders$/)).toHaveLength(1);
    expect(await ordersOf(userId)).toBe(1);
  });

test('coupons are issued once despite a 502 and a closed dialog', async () => {
  const terms = { name: 'Spring', kind: 'amount', value: 500, total: 100, perUser: 1 };
  const validity = { validFrom: new Date(Date.now() - day).toISOString(), validTo: new Date(Date.now() + day).toISOString() };
  const { id } = await site.request<{ id: number }>('POST', '/coupon-campaigns', { ...terms, ...validity });
  const issued = async () => (await site.request<{ total: number }>('GET', `/coupons?campaignId=${id}`)).total;
  const { visitor, proxy } = await site.behindProxy(`/coupon-campaigns/${id}`);
  const { page } = visitor;
  const open = () => page.getByRole('button', { name: 'Issue coupons', exact: true }).click();
  await open();
  await dialogOf(visitor).getByRole('textbox', { name: 'Number of coupons' }).fill('4');
  proxy.rule(({ path }) => (path.endsWith('/coupons') ? { after: 502 } : undefined));
  await submit(visitor).click();
  await expect.poll(issued).toBe(4);
  await settled(visitor);
  await page.keyboard.press('Escape');
  await dialogOf(visitor).waitFor({ state: 'detached' });
  proxy.mend();
  await open();
  expect(await dialogOf(visitor).getByRole('textbox', { name: 'Number of coupons' }).isDisabled()).toBe(true);

  await submit(visitor).click();

  await page.getByText('4 coupons were issued').waitFor();
  expect(await issued()).toBe(4);
  await visitor.check();
});

test('an entry with a lost reply stays pending and is booked once', async () => {
  const { visitor, proxy } = await site.behindProxy('/wallets/131');
  const { page } = visitor;
  const open = () => page.getByRole('button', { name: 'Credit or debit' }).click();
  const startOver = dialogOf(visitor).getByRole('button', { name: 'Start over' });
  let release: () => void = () => undefined;
  const held = new Promise<Fate>((resolve) => (release = () => resolve('lose')));
  let fate: Fate | Promise<Fate> = 'lose';
  proxy.rule(({ method, path }) => (method === 'POST' && path.endsWith('/wallets/131/entries') ? fate : undefined));
  await open();
  await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).fill('5.00');
  await submit(visitor).click();
  await dialogOf(visitor).getByText('The outcome of this request is still unknown.').waitFor();
  await page.keyboard.press('Escape');
  await dialogOf(visitor).waitFor({ state: 'detached' });
  fate = held;

  await open();
  const sent = proxy.count('POST', /entries$/);
  await submit(visitor).click();
  await expect.poll(() => proxy.count('POST', /entries$/)).toBeGreaterThan(sent);
  expect(await startOver.count()).toBe(0);
  release();
  await settled(visitor);
  expect(await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).isDisabled()).toBe(true);
  proxy.mend();
  await submit(visitor).click();

  await page.getByText(/^Entry of ¥5.00 created\. The balance is ¥5.00\./).waitFor();
  expect(proxy.keys(/entries$/)).toHaveLength(1);
  expect(await site.request('GET', '/wallets/131')).toMatchObject({ balance: 500 });
  await visitor.check();
});

test('an unknown outcome resolves after reconnecting with the dialog closed', async () => {
  const { visitor, proxy } = await site.behindProxy('/wallets/132');
  const { page } = visitor;
  proxy.rule(({ method }) => (method === 'POST' ? 'lose' : 'drop'));
  proxy.cut();
  await page.getByRole('button', { name: 'Credit or debit' }).click();
  await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).fill('5.00');
  await submit(visitor).click();
  await dialogOf(visitor).getByText('The outcome of this request is still unknown.').waitFor();
  await page.keyboard.press('Escape');
  proxy.mend();

  await page.getByText(/^Entry of ¥5.00 created\. The balance is ¥5.00\./).waitFor();
  expect(proxy.keys(/entries$/)).toHaveLength(1);
  expect(await site.request('GET', '/wallets/132')).toMatchObject({ balance: 500 });
  await visitor.check();
});

test('discarding an unknown outcome or its draft needs confirmation', async () => {
  const { visitor, proxy } = await site.behindProxy('/wallets/133');
  const { page } = visitor;
  proxy.rule(({ method }) => (method === 'POST' ? 'lose' : undefined));
  await page.getByRole('button', { name: 'Credit or debit' }).click();
  await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).fill('5.00');
  await submit(visitor).click();
  await page.getByRole('button', { name: 'Abandon' }).click();
  const question = page.getByRole('dialog', { name: 'Abandon this request?' });
  await question.getByText(/It may have been applied/).waitFor();
  await visitor.inspectBothLanguages('give-up');
  await visitor.speak('en');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  expect(await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: /My drafts/ }).click();
  await page.getByRole('button', { name: /^Discard / }).click();
  await question.getByRole('button', { name: 'Abandon' }).click();
  await page.getByText('You have no drafts.').waitFor();
});

test('a draft without a new field opens in its dialog', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  await openOrder(visitor, 141);
  await page.evaluate(() => {
    for (const [name, text] of Object.entries(localStorage).filter(([key]) => key.startsWith('interlock.draft/'))) {
      const draft = JSON.parse(text as string) as { value: { couponCode?: string; lines: object[] } };
      delete draft.value.couponCode;
      draft.value.lines = draft.value.lines.map(() => ({ sku: 'TEA-1' }));
      localStorage.setItem(name, JSON.stringify(draft));
    }
  });
  await page.reload();
  await page.getByRole('button', { name: 'New order' }).first().click();
  expect(await dialogOf(visitor).getByRole('textbox', { name: 'User id' }).inputValue()).toBe('141');
  await submit(visitor).click();
  await page.getByText(/Order .* was placed\./).waitFor();
  await visitor.check();
});

nightly('orders shipped behind a 502 are unknown, and the run resumes', async () => {
  const ids: number[] = [];
  for (let i = 0; i < 130; i++) ids.push((await place(121)).id);
  await payFromWallet(site.request, '121', ids);
  const { visitor, proxy } = await site.behindProxy('/orders?userId=121');
  const { page } = visitor;
  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('button', { name: 'Choose all 130 that match' }).click();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Ship' }).click();
  await page.getByText('130 rows will be sent').waitFor();
  await page.getByRole('textbox', { name: 'Carrier' }).fill('DHL');
  await page.getByRole('textbox', { name: 'Tracking number' }).fill('JD01');
  proxy.rule(({ path }) => (path.endsWith('/order-batches') ? { after: 502 } : undefined));
  await submit(visitor).click();
  await expect.poll(async () => (await site.request<{ total: number }>('GET', '/orders?userId=121&status=shipped')).total).toBe(100);
  await dialogOf(visitor)
    .getByText(/Unknown|Outcome unknown/)
    .first()
    .waitFor();
  const verdicts = await dialogOf(visitor).getByRole('listitem').allInnerTexts();
  expect(verdicts.filter((words) => words.includes('Not sent'))).toHaveLength(30);
  await page.reload();
  proxy.mend();

  await page.getByRole('button', { name: 'Show progress' }).click();
  await dialogOf(visitor).getByText('Interrupted: the outcome of 100 rows is unknown.').waitFor();
  await visitor.check();
  await dialogOf(visitor).getByRole('button', { name: 'Resume', exact: true }).click();

  await dialogOf(visitor).getByText('130 done, 0 not done').waitFor();
  expect(proxy.keys(/order-batches$/)).toHaveLength(2);
  expect((await site.request<{ total: number }>('GET', '/orders?userId=121&status=shipped')).total).toBe(130);
});

test('a button offers a retry after a 502, with one effect', async () => {
  await site.request('POST', '/items', { sku: 'OLD-1', name: 'Red tea', price: 4000 });
  const { visitor, proxy } = await site.behindProxy('/items/OLD-1');
  const { page } = visitor;
  proxy.rule(({ method }) => (method === 'PATCH' ? { after: 502 } : undefined));
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await dialogOf(visitor).getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByText(/no response arrived\. Retry/).waitFor();
  proxy.mend();

  await page.getByRole('button', { name: 'Retry' }).click();

  await page.getByText('OLD-1 was archived.').waitFor();
  expect(proxy.keys(/\/items\/OLD-1/)).toHaveLength(1);
  expect(await site.request('GET', '/items/OLD-1')).toMatchObject({ status: 'archived', version: 2 });
});
