import { readFile } from 'node:fs/promises';
import type { Visitor } from './browser';
import { expect, nightly, tenantSite, test } from './site';

interface Item {
  price: number;
  status: string;
  name: string;
  etag: string;
  version: number;
}

const site = tenantSite();

const itemNow = (sku: string) => site.request<Item>('GET', `/items/${sku}`);
const dialogOf = ({ page }: Visitor) => page.getByRole('dialog');
const press = (visitor: Visitor, name: string | RegExp) => dialogOf(visitor).getByRole('button', { name, exact: true }).click();
const paste = (visitor: Visitor, name: 'Table' | 'List', text: string) => dialogOf(visitor).getByRole('textbox', { name, exact: true }).fill(text);
const verdictsOf = async (visitor: Visitor) =>
  (await dialogOf(visitor).getByRole('list', { name: 'Results' }).getByRole('listitem').allInnerTexts()).map((words) => words.replace(/\s+/g, ' '));

async function savedVerdicts(visitor: Visitor): Promise<{ name: string; lines: string[] }> {
  const saving = visitor.page.waitForEvent('download');
  await press(visitor, 'Results as CSV');
  const file = await saving;
  return { name: file.suggestedFilename(), lines: (await readFile(await file.path(), 'utf8')).trim().split('\r\n').slice(1) };
}

test('bulk prices skip a changed item, and undo skips later changes', async () => {
  for (const n of [1, 2, 3, 4]) await site.request('POST', '/items', { sku: `PRICE-${n}`, name: `Tea ${n}`, price: 1000 * n });
  const [first, second] = await site.two('/items?q=PRICE-');
  const { page } = first;
  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Edit…' }).click();
  await dialogOf(first).getByText('One per row').click();
  await paste(first, 'Table', 'PRICE-1\t11.00\nPRICE-2\t21.50\nPRICE-3\tthirty\nPRICE-9\t1.00');
  await dialogOf(first).getByText('Assign the columns', { exact: true }).waitFor();
  expect(await dialogOf(first).getByText('The table is empty.').count()).toBe(0);
  await press(first, 'Apply');
  await dialogOf(first).getByText('2 rows will be sent').waitFor();
  await dialogOf(first).getByText('Not selected: PRICE-9').waitFor();
  await dialogOf(first).getByText('1 line is ignored because a cell is not a number: 3').waitFor();
  await first.check('items-bulk-edit');

  // Li changes one of them first, in a separate session.
  await second.page.getByRole('link', { name: 'PRICE-2' }).click();
  await second.page.getByRole('textbox', { name: 'Name' }).fill('Tea of Li');
  await second.page.getByRole('button', { name: /^Save · v/ }).click();
  await dialogOf(first).getByText('changed by Li since you selected it').waitFor();
  await press(first, 'Edit 2 items');
  await dialogOf(first).getByText('1 done, 1 not done').waitFor();
  const verdicts = await verdictsOf(first);
  expect(verdicts[0]).toMatch(/PRICE-2 Changed by another user Li changed it .* Name Tea 2 → Tea of Li/);
  expect(await itemNow('PRICE-2')).toMatchObject({ price: 2000, name: 'Tea of Li' });
  const { name, lines } = await savedVerdicts(first);
  expect(name).toBe('items-edit.csv');
  expect(lines.sort()).toEqual([
    'PRICE-1,Done,',
    expect.stringMatching(/^PRICE-2,Changed by another user,.+/),
    'PRICE-3,Skipped,has no usable line in the table',
    'PRICE-4,Skipped,has no usable line in the table',
  ]);
  await press(first, 'Close');
  await page.getByRole('region', { name: 'Chosen rows' }).getByText('1 chosen').waitFor();

  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Edit…' }).click();
  await dialogOf(first).getByRole('combobox').selectOption({ label: 'Change the price by percent' });
  await dialogOf(first).getByRole('textbox', { name: 'Percent' }).fill('-10');
  await press(first, 'Edit 4 items');
  await dialogOf(first).getByText('4 items were changed.').waitFor();
  expect(await itemNow('PRICE-1')).toMatchObject({ price: 990 });
  await site.asLi('PATCH', '/items/PRICE-4', { price: 5 }, { 'If-Match': (await itemNow('PRICE-4')).etag });
  await press(first, 'Undo 4 changes');
  await dialogOf(first).getByText('3 done, 1 not done').waitFor();
  expect((await verdictsOf(first))[0]).toMatch(/^PRICE-4 Changed by another user Li changed it/);
  const prices = await Promise.all([1, 2, 3, 4].map(async (n) => (await itemNow(`PRICE-${n}`)).price));
  expect(prices).toEqual([1100, 2000, 3000, 5]);
  await first.check();
});

nightly('an import of items resumes after a lost reply, and exports import again', async () => {
  for (const n of [1, 2]) await site.request('POST', '/items', { sku: `IN-${n}`, name: `Tea ${n}`, price: 1000 });
  const { visitor, proxy } = await site.behindProxy('/items?q=IN-');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const lines = ['SKU,Name,Price,Status', 'IN-1,Tea 1,12.00,', 'IN-2,Tea 2,10.00,active', 'IN-BAD,No price,,', 'IN-3,"Cup, large",9.00,archived'];
  for (let n = 10; n < 20; n++) lines.push(`IN-${n},Tea ${n},${n}.00,`);
  await page.locator('input[type=file]').setInputFiles({ name: 'items.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) });
  await dialogOf(visitor).getByText('12 rows will be sent').waitFor();
  await dialogOf(visitor).getByText('is unchanged').waitFor();
  await dialogOf(visitor).getByText('is new, and needs a name and a price').waitFor();
  await visitor.check('items-import');
  // The file is stored with the other input.
  await page.reload();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await dialogOf(visitor).getByText('12 rows will be sent').waitFor();
  // The replies to one request are lost after it was applied.
  proxy.rule(({ method, path }) => (method === 'POST' && path.endsWith('/items') && proxy.count('POST', /\/items$/) > 4 ? { after: 502 } : undefined));
  await press(visitor, 'Import 12 items');
  await dialogOf(visitor)
    .getByText(/Interrupted: the outcome of \d rows? (is|are) unknown/)
    .waitFor();
  await visitor.shoot('items-import-broken');
  await page.reload();
  proxy.mend();
  await page.getByRole('button', { name: 'Show progress' }).click();
  await press(visitor, 'Resume');
  await dialogOf(visitor).getByText('12 items are imported.').waitFor();
  expect(await itemNow('IN-1')).toMatchObject({ price: 1200, version: 2 });
  expect(await itemNow('IN-3')).toMatchObject({ name: 'Cup, large', price: 900, status: 'archived', version: 1 });
  expect(await site.request<{ total: number }>('GET', '/items?q=IN-1')).toMatchObject({ total: 11 });
  expect((await verdictsOf(visitor)).filter((words) => !words.includes('Done'))).toEqual([]);
  // A replayed reply is reported once, above the buttons, until it is closed.
  const said = page.getByText('This request was already applied; this is its original response.');
  expect(await said.count()).toBe(1);
  await page.getByRole('alert').filter({ has: said }).getByRole('button').click();
  // A run that was resumed after a reload can be undone.
  await site.asLi('PATCH', '/items/IN-12', { price: 5 }, { 'If-Match': (await itemNow('IN-12')).etag });
  await press(visitor, 'Undo 12 changes');
  await dialogOf(visitor).getByText('11 done, 1 not done').waitFor();
  expect(await itemNow('IN-1')).toMatchObject({ price: 1000 });
  expect(await itemNow('IN-12')).toMatchObject({ price: 5 });
  expect(await site.request<{ items: unknown[] }>('GET', '/items?q=IN-')).toMatchObject({ items: [{ sku: 'IN-1' }, { sku: 'IN-12' }, { sku: 'IN-2' }] });
  await press(visitor, 'Close');

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = await (await saving).path();
  await site.asLi('PATCH', '/items/IN-2', { price: 7 }, { 'If-Match': (await itemNow('IN-2')).etag });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await press(visitor, 'Import 1 item');
  await dialogOf(visitor).getByText('1 item is imported.').waitFor();
  expect(await itemNow('IN-2')).toMatchObject({ price: 1000 });
});

nightly('a delivery from a table is applied once and can be undone', async () => {
  for (const n of [1, 2, 3]) await site.request('POST', '/items', { sku: `STOCK-${n}`, name: `Tea ${n}`, price: 1000 });
  const onHand = async () => Promise.all([1, 2, 3].map(async (n) => (await site.request<{ onHand: number }>('GET', `/inventory/STOCK-${n}`)).onHand));
  const { visitor, proxy } = await site.behindProxy('/inventory');
  const { page } = visitor;
  const receive = async (table: string) => {
    await page.getByRole('button', { name: 'Receive or count' }).click();
    await paste(visitor, 'Table', table);
    await press(visitor, 'Apply');
    await dialogOf(visitor).getByRole('textbox', { name: 'Reason' }).fill('Delivery 4711');
    await dialogOf(visitor).getByRole('textbox', { name: 'Reference' }).fill('delivery-4711');
  };
  await receive('STOCK-1\t5\nSTOCK-2\t7\nSTOCK-3\t1\nSTOCK-3\t1\nNOTHING\t4\nSTOCK-0.5\tx');
  await dialogOf(visitor).getByText('2 rows will be sent').waitFor();
  await dialogOf(visitor).getByText('is listed more than once with different values').waitFor();
  await dialogOf(visitor).getByText('does not exist').waitFor();
  await visitor.check('inventory-receive');
  proxy.rule(({ method, path }) => (method === 'POST' && path.includes('STOCK-2') ? { after: 502 } : undefined));
  await press(visitor, 'Adjust 2 items');
  await dialogOf(visitor).getByText('Interrupted: the outcome of 1 row is unknown.').waitFor();
  await page.reload();
  proxy.mend();
  await page.getByRole('button', { name: 'Show progress' }).click();
  await press(visitor, 'Resume');
  await dialogOf(visitor).getByText('The stock of 2 items was adjusted.').waitFor();
  expect(await onHand()).toEqual([5, 7, 0]);
  expect(proxy.keys(/STOCK-2\/adjustments/)).toHaveLength(1);
  await press(visitor, 'Close');

  // The corrected delivery is sent again; receipts that were applied stay.
  await receive('STOCK-1\t5\nSTOCK-2\t8\nSTOCK-3\t2');
  await press(visitor, 'Adjust 3 items');
  await dialogOf(visitor).getByText('2 done, 1 not done').waitFor();
  expect((await verdictsOf(visitor))[0]).toMatch(/^STOCK-2 Rejected/);
  expect(await onHand()).toEqual([5, 7, 2]);
  // Only unfinished lines stay in the table.
  await press(visitor, 'Continue with 1 remaining line');
  expect(await dialogOf(visitor).getByRole('textbox', { name: 'Table' }).inputValue()).toBe('STOCK-2\t8');
  await dialogOf(visitor).getByRole('textbox', { name: 'Reference' }).fill('delivery-4712');
  await press(visitor, 'Adjust 1 item');
  await dialogOf(visitor).getByText('The stock of 1 item was adjusted.').waitFor();
  expect(await onHand()).toEqual([5, 15, 2]);
  await site.asLi('POST', '/inventory/STOCK-2/adjustments', { delta: 1, reason: 'found', reference: 'found-1' });
  await press(visitor, 'Undo 1 change');
  await dialogOf(visitor).getByText('The adjustment of 1 item was undone.').waitFor();
  expect(await onHand()).toEqual([5, 8, 2]);
  await press(visitor, 'Close');

  // A count is based on the displayed quantity.
  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Adjust…' }).click();
  await dialogOf(visitor).getByText('Count', { exact: true }).click();
  await dialogOf(visitor).getByText('One per row').click();
  await paste(visitor, 'Table', 'SKU,On hand\nSTOCK-1,4\nSTOCK-2,9');
  await dialogOf(visitor).getByRole('textbox', { name: 'Reason' }).fill('Stocktaking');
  await dialogOf(visitor).getByText('2 rows will be sent').waitFor();
  await site.asLi('POST', '/inventory/STOCK-2/adjustments', { delta: 1, reason: 'found', reference: 'found-2' });
  await press(visitor, 'Adjust 2 items');
  await dialogOf(visitor).getByText('1 done, 1 not done').waitFor();
  expect((await verdictsOf(visitor))[0]).toMatch(/^STOCK-2 Changed by another user Li changed it .*9 are in stock/);
  expect(await onHand()).toEqual([4, 9, 2]);
  await visitor.check();
});

test('bulk coupons are issued once, and undo skips a redeemed one', async () => {
  const day = 86_400_000;
  const [validFrom, validTo] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
  const { id } = await site.request<{ id: number }>('POST', '/coupon-campaigns', {
    name: 'Harvest',
    kind: 'percent',
    value: 20,
    total: 300,
    perUser: 1,
    validFrom,
    validTo,
  });
  await site.request('POST', `/coupon-campaigns/${id}/coupons`, { userIds: ['c-7'] });
  const issued = async () => (await site.request<{ total: number }>('GET', `/coupons?campaignId=${id}`)).total;
  const { visitor, proxy } = await site.behindProxy(`/coupon-campaigns/${id}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Issue to a list' }).click();
  const customers = Array.from({ length: 130 }, (_, i) => `c-${i}`);
  await paste(visitor, 'List', `Balance,User\n${[...customers, '李'].map((customer) => `1.00,${customer}`).join('\n')}`);
  await dialogOf(visitor).getByText('130 rows will be sent').waitFor();
  await dialogOf(visitor).getByText('is not a valid user id').waitFor();
  await visitor.check('campaigns-issue-list');
  proxy.rule(({ method, path }) => (method === 'POST' && path.endsWith('/coupons') && proxy.count('POST', /\/coupons$/) === 2 ? { after: 502 } : undefined));
  await press(visitor, 'Issue 130 coupons');
  // A lost request is retried automatically; then the customer at the limit is excluded.
  await dialogOf(visitor).getByText('129 done, 1 not done').waitFor();
  expect((await verdictsOf(visitor))[0]).toMatch(/^c-7 Rejected has reached the limit per user/);
  expect(await issued()).toBe(130);
  const { lines } = await savedVerdicts(visitor);
  const codeOf = new Map(lines.map((line) => [line.split(',')[0], line.split(',')[2]]));
  expect(await site.request('GET', `/coupons/${codeOf.get('c-129') ?? ''}`)).toMatchObject({ userId: 'c-129', campaignId: id });

  await site.asLi('POST', `/coupons/${codeOf.get('c-3') ?? ''}/redeem`, { userId: 'c-3' });
  await press(visitor, 'Undo 129 changes');
  await dialogOf(visitor).getByText('128 done, 1 not done').waitFor();
  expect((await verdictsOf(visitor))[0]).toMatch(/^c-3 Changed by another user/);
  const count = async (status: string) => (await site.request<{ total: number }>('GET', `/coupons?campaignId=${id}&status=${status}`)).total;
  expect([await count('void'), await count('used'), await count('unused')]).toEqual([128, 1, 1]);

  // The last one is selected by its code, together with one that fails.
  const [{ code }] = (await site.request<{ items: [{ code: string }] }>('GET', `/coupons?campaignId=${id}&status=unused`)).items;
  await visitor.visit('/coupons');
  await page.getByRole('button', { name: 'Void a list' }).click();
  await paste(visitor, 'List', `${code} ${codeOf.get('c-3') ?? ''} NOSUCH`);
  await dialogOf(visitor).getByText('1 row will be sent').waitFor();
  await dialogOf(visitor).getByText('is used').waitFor();
  await visitor.check('coupons-void-list');
  await press(visitor, 'Void 1 coupon');
  await dialogOf(visitor).getByText('1 coupon was voided.').waitFor();
  expect([await count('void'), await count('used'), await count('unused')]).toEqual([129, 1, 0]);
  await visitor.check();
});

nightly('undo of an import skips later changes and reports them', async () => {
  interface Config {
    value: unknown;
    remark: string;
    version: number;
    etag: string;
  }
  const now = (key: string) => site.request<Config>('GET', `/configs/back.${key}`);
  const old = { value: { a: 1, none: null }, valueType: 'json', remark: 'before', schema: { type: 'object' } };
  for (const key of ['old', 'moved', 'same']) await site.request('POST', '/configs', { key: `back.${key}`, ...old });
  const [first, second] = await site.two('/configs?prefix=back.');
  const { page } = first;
  await page.getByRole('button', { name: 'Import' }).click();
  const configs = [{ ...old, key: 'back.same' }, ...['old', 'moved', 'new'].map((key) => ({ key: `back.${key}`, value: 2 }))];
  await page.locator('input[type=file]').setInputFiles({ name: 'in.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ configs })) });
  await press(first, 'Import 3 configs');
  await dialogOf(first).getByText('Imported: 1 created, 2 changed, 1 unchanged.').waitFor();
  await second.page.getByRole('link', { name: 'back.moved' }).click();
  await second.page.getByRole('textbox', { name: 'Remark' }).fill('Li was here');
  await second.page.getByRole('button', { name: /^Save · v/ }).click();
  await expect.poll(() => now('moved')).toMatchObject({ remark: 'Li was here' });

  await press(first, 'Undo 3 changes');
  await dialogOf(first).getByText('is restored to v1').first().waitFor();
  await first.check('configs-import-undo');
  await dialogOf(first).getByText('changed by Li since').waitFor();
  await press(first, 'Undo 2 changes');
  await dialogOf(first).getByText('2 configs were restored.').waitFor();
  expect(await now('old')).toMatchObject({ ...old, version: 3 });
  expect(await now('moved')).toMatchObject({ value: 2, remark: 'Li was here' });
  expect(await site.request('GET', '/configs?prefix=back.')).toMatchObject({ total: 3 });
  await first.check();
});
