import type { Visitor } from './browser';
import { expect, tenantSite, test } from './site';

interface Stock {
  onHand: number;
  available: number;
  version: number;
}

const site = tenantSite();

const stockOf = (sku: string) => site.request<Stock>('GET', `/inventory/${sku}`);
const movementsOf = (sku: string) => site.request<{ total: number }>('GET', `/inventory/${sku}/movements`);
const dialogOf = (visitor: Visitor) => visitor.page.getByRole('dialog');

async function stocked(sku: string, units: number): Promise<void> {
  await site.request('POST', '/items', { sku, name: `Tea ${sku}`, price: 5000 });
  await site.request('POST', `/inventory/${sku}/adjustments`, { delta: units, reason: 'Opening stock', reference: 'opening' });
}

async function openAdjust(visitor: Visitor): Promise<void> {
  await visitor.page.getByRole('button', { name: 'Adjust the stock' }).click();
  await dialogOf(visitor).waitFor();
}

test('the loser of two counts reads the winner and counts again', async () => {
  await stocked('COUNT-1', 120);
  const [first, second] = await site.two('/items/COUNT-1');
  for (const visitor of [first, second]) {
    await openAdjust(visitor);
    await dialogOf(visitor).getByText('Count', { exact: true }).click();
    await dialogOf(visitor).getByRole('textbox', { name: 'Reason' }).fill('Stocktaking');
  }
  await dialogOf(first).getByRole('textbox', { name: 'Counted units' }).fill('118');
  await dialogOf(second).getByRole('textbox', { name: 'Counted units' }).fill('110');
  await dialogOf(second).getByRole('button', { name: 'Save' }).click();
  await second.page.getByText('COUNT-1: −10 units, 110 on hand.').waitFor();
  // The dialog shows the change before the save, and the service rejects the save.
  await dialogOf(first).getByText('Li changed the stock while you were counting: 110 are in stock.').waitFor();

  await dialogOf(first).getByRole('button', { name: 'Save' }).click();

  await dialogOf(first)
    .getByText(/110 are now in stock: Li changed it/)
    .waitFor();
  expect(await stockOf('COUNT-1')).toMatchObject({ onHand: 110, version: 2 });
  await first.check('inventory-lost');
  await dialogOf(first).getByRole('button', { name: 'Count again from 110' }).click();
  await dialogOf(first).getByRole('textbox', { name: 'Counted units' }).fill('109');
  await dialogOf(first).getByRole('button', { name: 'Save' }).click();
  await first.page.getByText('COUNT-1: −1 units, 109 on hand.').waitFor();
  expect(await stockOf('COUNT-1')).toMatchObject({ onHand: 109, version: 3 });
});

test('an issue above the available stock is rejected with the stock', async () => {
  await stocked('SHORT-1', 3);
  const visitor = await site.enter('/items/SHORT-1');
  await openAdjust(visitor);
  await dialogOf(visitor).getByRole('textbox', { name: 'Units' }).fill('-5');
  await dialogOf(visitor).getByRole('textbox', { name: 'Reason' }).fill('Broken');
  await dialogOf(visitor).getByRole('button', { name: 'Save' }).click();
  await dialogOf(visitor).getByText('Only 3 are available; this would remove 5.').waitFor();
  expect(await stockOf('SHORT-1')).toMatchObject({ onHand: 3, version: 1 });
  await visitor.check();
});

test('a retry under the same key makes one movement and is labelled', async () => {
  await stocked('LOST-1', 10);
  const visitor = await site.enter('/items/LOST-1');
  const { page } = visitor;
  await openAdjust(visitor);
  await dialogOf(visitor).getByRole('textbox', { name: 'Units' }).fill('5');
  await dialogOf(visitor).getByRole('textbox', { name: 'Reason' }).fill('Delivery');
  const keys: (string | undefined)[] = [];
  let release: () => void = () => undefined;
  const looked = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/adjustments', async (route) => {
    keys.push(route.request().headers()['x-idempotency-key']);
    if (keys.length > 1) {
      await looked;
      await route.continue();
      return;
    }
    // The request is carried out, but its reply is lost.
    await route.fetch();
    await route.abort();
  });

  await dialogOf(visitor).getByRole('button', { name: 'Save' }).click();

  await dialogOf(visitor).getByText('Outcome unknown, checking…').waitFor();
  await visitor.check('outcome-unknown');
  release();
  await page.getByText('This request was already applied; this is its original response.').waitFor();
  await page.getByText('LOST-1: +5 units, 15 on hand.').waitFor();
  expect(new Set(keys).size).toBe(1);
  expect(await stockOf('LOST-1')).toMatchObject({ onHand: 15, version: 2 });
  expect((await movementsOf('LOST-1')).total).toBe(2);
});

test('an unanswered request survives a reload and is applied once', async () => {
  await stocked('RELOAD-1', 10);
  const visitor = await site.enter('/items/RELOAD-1');
  const { page } = visitor;
  await openAdjust(visitor);
  await dialogOf(visitor).getByRole('textbox', { name: 'Units' }).fill('7');
  await dialogOf(visitor).getByRole('textbox', { name: 'Reason' }).fill('Delivery');
  let sent = 0;
  await page.route('**/adjustments', async (route) => {
    if (sent++ === 0) await route.fetch();
    await route.abort();
  });
  await dialogOf(visitor).getByRole('button', { name: 'Save' }).click();
  await dialogOf(visitor).getByText('The outcome of this request is still unknown.').waitFor();
  expect(sent).toBe(4);
  await page.unroute('**/adjustments');
  await page.reload();
  await visitor.settle();

  await openAdjust(visitor);
  expect(await dialogOf(visitor).getByRole('textbox', { name: 'Units' }).inputValue()).toBe('7');
  await dialogOf(visitor).getByRole('button', { name: 'Retry' }).click();

  await page.getByText('This request was already applied; this is its original response.').waitFor();
  expect(await stockOf('RELOAD-1')).toMatchObject({ onHand: 17, version: 2 });
});

test('low stock is first, and changes by other users appear live', async () => {
  await stocked('LOW-1', 1);
  await stocked('MUCH-1', 900);
  const visitor = await site.enter('/inventory');
  const { page } = visitor;
  const skus = () => page.locator('tbody tr td:nth-child(2)').allInnerTexts();
  expect((await skus())[0]).toBe('LOW-1');
  expect((await skus()).at(-1)).toBe('MUCH-1');
  await site.request('POST', '/inventory/LOW-1/adjustments', { delta: 2000, reason: 'Delivery', reference: 'delivery-1' });
  await expect.poll(async () => (await skus()).at(-1)).toBe('LOW-1');
});
