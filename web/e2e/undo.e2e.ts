import type { Page } from '@playwright/test';
import { itemInStock } from './pages';
import { expect, nightly, tenantSite, test } from './site';

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'UNDO-1', name: 'Green tea', price: 6000 });
  await site.request('POST', '/items', { sku: 'UNDO-2', name: 'Cup', price: 900, ownedByUserId: 'li' });
});

const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true }).click();
const confirm = (page: Page, name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name }).click();

test('undo recreates a deleted config unless its key exists', async () => {
  const content = { value: { rate: 1 }, valueType: 'json', remark: 'as it was' };
  await site.request('POST', '/configs', { key: 'undo.config', ...content });
  const visitor = await site.enter('/configs/undo.config');
  const { page } = visitor;
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete…' }).click();
    await confirm(page, /^Delete/);
    await page.waitForURL(/\/configs$/);
  };
  await remove();
  await undo(page);
  await page.getByText('undo.config was recreated.').waitFor();
  expect(await site.request('GET', '/configs/undo.config')).toMatchObject(content);

  await visitor.visit('/configs/undo.config');
  await remove();
  await site.asLi('POST', '/configs', { key: 'undo.config', value: 'theirs', valueType: 'string', remark: '' });
  await undo(page);
  await page
    .getByText(/already|exists/i)
    .first()
    .waitFor();
  expect(await site.request('GET', '/configs/undo.config')).toMatchObject({ value: 'theirs' });
});

test('undo of a rollback creates a new version', async () => {
  await site.request('POST', '/configs', { key: 'undo.roll', value: 'one', valueType: 'string', remark: '' });
  const { etag } = await site.request<{ etag: string }>('GET', '/configs/undo.roll');
  await site.request('PATCH', '/configs/undo.roll', { value: 'two' }, { 'If-Match': etag });
  const visitor = await site.enter('/configs/undo.roll?tab=history');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Roll back to v1' }).click();
  await confirm(page, 'Roll back');
  await undo(page);
  await page.getByText('Rolled back: v4 has the content of v2.').waitFor();
  expect(await site.request('GET', '/configs/undo.roll')).toMatchObject({ value: 'two', version: 4 });
});

test('undo of a batch skips configs that changed since', async () => {
  const now = (name: string) => site.request<{ value: unknown; remark: string; etag: string }>('GET', `/configs/undo.batch.${name}`);
  for (const name of ['a', 'b', 'c']) await site.request('POST', '/configs', { key: `undo.batch.${name}`, value: 1, remark: name });
  const visitor = await site.enter('/configs?prefix=undo.batch.');
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  const batch = async (what: string) => {
    await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
    await page.getByRole('button', { name: 'Change or delete…' }).click();
    await dialog.getByText(what, { exact: true }).click();
  };
  await batch('Set the value');
  await dialog.getByRole('textbox', { name: 'New value' }).fill('2');
  await dialog.getByRole('button', { name: 'Set the value of 3 configs' }).click();
  await dialog.getByText('The values of 3 configs were set.').waitFor();
  await site.asLi('PATCH', '/configs/undo.batch.b', { value: 9 }, { 'If-Match': (await now('b')).etag });

  await dialog.getByRole('button', { name: 'Undo 3 changes' }).click();
  await dialog.getByText('Later changes of other users stay.').waitFor();
  await visitor.check();
  expect(await now('a')).toMatchObject({ value: 2 });
  await dialog.getByRole('button', { name: 'Exclude conflicts' }).click();
  await dialog.getByText('2 configs were restored.').waitFor();
  expect([await now('a'), await now('b'), await now('c')]).toMatchObject([{ value: 1 }, { value: 9 }, { value: 1 }]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await batch('Delete');
  await dialog.getByRole('button', { name: 'Delete 3 configs' }).click();
  await dialog.getByRole('button', { name: 'Undo 3 changes' }).click();
  await dialog.getByText('3 configs were restored.').waitFor();
  expect(await now('c')).toMatchObject({ value: 1, remark: 'c' });
});

test('undo of a stock adjustment preserves later movements', async () => {
  const before = await site.request<{ onHand: number }>('GET', '/inventory/UNDO-1');
  const visitor = await site.enter('/items/UNDO-1');
  const { page } = visitor;
  await page
    .getByRole('button', { name: 'Adjust stock' })
    .or(page.getByRole('button', { name: /^Adjust/ }))
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().fill('5');
  await dialog.getByLabel(/Reason/).fill('counted again');
  // Ctrl+S saves, as in every form.
  await page.keyboard.press('Control+s');
  await dialog.waitFor({ state: 'detached' });
  await site.asLi('POST', '/inventory/UNDO-1/adjustments', { delta: 2, reason: 'found', reference: 'found-2' });
  await undo(page);
  await expect.poll(async () => (await site.request<{ onHand: number }>('GET', '/inventory/UNDO-1')).onHand).toBe(before.onHand + 2);
  const { items } = await site.request<{ items: { delta: number; reason: string }[] }>('GET', '/inventory/UNDO-1/movements?limit=1');
  expect(items[0]).toMatchObject({ delta: -5, reason: 'Undo' });
});

test('undo of a deletion restores the price and owner', async () => {
  const visitor = await site.enter('/items/UNDO-2');
  const { page } = visitor;
  await page.getByRole('button', { name: /^Delete/ }).click();
  await confirm(page, /^Delete/);
  await page.waitForURL(/\/items$/);
  await undo(page);
  await expect.poll(() => site.request('GET', '/items/UNDO-2').catch(() => undefined)).toMatchObject({ name: 'Cup', price: 900, ownedByUserId: 'li' });
});

nightly('a deleted campaign and a deleted draft sale are restored', async () => {
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const terms = { name: 'Spring', kind: 'amount', value: 500, minimumAmount: 2000, total: 10, perUser: 1, validFrom: from, validTo: to };
  const { id } = await site.request<{ id: number }>('POST', '/coupon-campaigns', terms);
  const sale = { name: 'Noon', sku: 'UNDO-1', price: 990, quantity: 4, perUserLimit: 1, startsTime: from, endsTime: to };
  const draft = await site.request<{ id: number }>('POST', '/flash-sales', sale);
  const visitor = await site.enter(`/coupon-campaigns/${id}`);
  const { page } = visitor;
  for (const [path, list, name, wanted] of [
    [`/coupon-campaigns/${id}`, '/coupon-campaigns', 'Spring', { value: 500, total: 10 }],
    [`/flash-sales/${draft.id}`, '/flash-sales', 'Noon', { quantity: 4, price: 990, status: 'draft' }],
  ] as const) {
    await visitor.visit(path);
    await page.getByRole('button', { name: /^Delete/ }).click();
    await confirm(page, /^Delete/);
    await page.waitForURL((url) => url.pathname === list);
    await undo(page);
    await page.getByText(`${name} was created again with a new number.`).waitFor();
    const { items } = await site.request<{ items: unknown[] }>('GET', list);
    expect(items).toMatchObject([{ name, ...wanted }]);
  }
});

test('content fills a wide screen, and the title names the record', async () => {
  const visitor = await site.enter('/items/UNDO-1');
  const { page } = visitor;
  expect(await page.title()).toMatch(/^UNDO-1 · Items/);
  await page.setViewportSize({ width: 1920, height: 1000 });
  const box = await page.locator('#content').boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeGreaterThanOrEqual(1900);
  const entries = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  expect(await page.getByRole('navigation', { name: 'Pages' }).locator('a svg').count()).toBe(await entries.count());
  await visitor.check('wide');
});
