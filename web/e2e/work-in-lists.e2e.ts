import { itemInStock } from './pages';
import { admin } from './service';
import { expect, nightly, tenantSite, test } from './site';

const many = 60;

const site = tenantSite(async () => {
  await itemInStock(site.request, { sku: 'WORK-1', name: 'Green tea', price: 6000 });
  for (let i = 1; i <= many; i++)
    await site.request('POST', '/configs', { key: `list.key-${String(i).padStart(2, '0')}`, value: i, valueType: 'number', remark: 'r'.repeat(200) });
  for (let i = 0; i < 2; i++) await site.request('POST', '/orders', { userId: `u${i}`, items: [{ sku: 'WORK-1', quantity: 1 }] });
});

test('the table header stays visible, and each row is one line', async () => {
  const visitor = await site.enter('/configs');
  const { page } = visitor;
  // The wheel scrolls the element under the pointer.
  await page.getByRole('row', { name: /list\.key-01/ }).hover();
  await page.mouse.wheel(0, 1200);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(600);
  const head = await page.getByRole('columnheader', { name: 'Key' }).boundingBox();
  expect(head?.y).toBeGreaterThanOrEqual(50);
  expect(head?.y).toBeLessThan(70);
  const heights = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(56);
  await visitor.check('list-scrolled');
});

test('keyboard shortcuts move, search and are listed', async () => {
  const visitor = await site.enter('/configs');
  const { page } = visitor;
  await page.getByRole('row', { name: /list\.key-01/ }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-index'));
  await page.keyboard.press('j');
  expect(await focused()).toBe('0');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  expect(await focused()).toBe('1');
  await page.keyboard.press('/');
  await page.keyboard.type('key-1j');
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('key-1j');
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await page.getByRole('heading', { name: 'Configs' }).click();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.getByText('Next row').waitFor();
  await visitor.check('keys');
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
});

test('active filters are chips that are removed singly or together', async () => {
  const visitor = await site.enter('/orders?status=pending&userId=u1');
  const { page } = visitor;
  const chips = page.getByRole('group', { name: 'Active filters' });
  await chips.getByRole('button', { name: 'Status: Pending' }).waitFor();
  await visitor.check('list-chips');
  await chips.getByRole('button', { name: 'User: u1' }).click();
  await page.waitForURL(/\/orders\?status=pending$/);
  await page.getByText('1–2 of 2').waitFor();
  await page.goto('/orders?status=paid&userId=u1');
  await chips.getByRole('button', { name: 'Clear the filters' }).click();
  await expect.poll(() => chips.count()).toBe(0);
});

test('a saved view reopens after a reload and is removed', async () => {
  const visitor = await site.enter('/orders?status=pending&sort=-amount');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('textbox', { name: 'Save the current view as' }).fill('To be paid');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'To be paid', exact: true }).waitFor();
  await visitor.check();
  await page.goto('/orders');
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('button', { name: 'To be paid', exact: true }).click();
  await page.waitForURL(/status=pending/);
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-amount');
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('button', { name: 'Remove the view To be paid' }).click();
  await page.getByText(/A view stores filters/).waitFor();
});

test('the column order applies to the export and survives a reload', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  const heads = () => page.locator('thead th').allInnerTexts();
  await page.getByRole('row', { name: /u1/ }).waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Move Status one position forward' }).click();
  await page.keyboard.press('Escape');
  const named = async () => (await heads()).map((text) => text.trim()).filter((text) => text !== '');
  expect((await named())[0]).toBe('Status');
  await page.reload();
  await page.getByRole('row', { name: /u1/ }).waitFor();
  expect((await named())[0]).toBe('Status');
});

nightly('a resized column truncates its text and persists', async () => {
  const visitor = await site.enter('/configs');
  const { page } = visitor;
  await page.getByRole('row', { name: /list\.key-01/ }).waitFor();
  await visitor.settle();
  const widthOf = async (name: string) => Math.round((await page.getByRole('columnheader', { name, exact: true }).boundingBox())?.width ?? 0);
  const edge = page.getByRole('separator', { name: /^Width of Remark/ });
  const before = { key: await widthOf('Key'), remark: await widthOf('Remark') };
  const box = await edge.boundingBox();
  if (box === null) throw new Error('the edge is not shown');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 120, box.y + 5, { steps: 4 });
  await page.mouse.up();
  const isNear = async (name: string, width: number) => Math.abs((await widthOf(name)) - width) < 3;
  await expect.poll(() => isNear('Remark', before.remark - 120)).toBe(true);
  expect(await isNear('Key', before.key)).toBe(true);
  const heights = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(56);
  await visitor.check('list-widths');
  await page.reload();
  await visitor.settle();
  await expect.poll(() => isNear('Remark', before.remark - 120)).toBe(true);
  await edge.dblclick();
  await expect.poll(() => isNear('Remark', before.remark)).toBe(true);
});

test('the time setting shows exact times in UTC with their zone', async () => {
  const visitor = await site.enter('/orders');
  const { page } = visitor;
  const time = page.locator('tbody time').first();
  await time.waitFor();
  expect(await time.getAttribute('title')).toMatch(/\(Asia\/Shanghai\)$/);
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitemradio', { name: 'Absolute, in UTC' }).click();
  const iso = (await time.getAttribute('datetime')) ?? '';
  const utc = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone: 'UTC' }).format(new Date(iso));
  await expect.poll(() => time.innerText()).toBe(utc);
  expect(await time.getAttribute('title')).toBe(`${utc} (UTC)`);
  await page.reload();
  await expect.poll(() => time.innerText()).toBe(utc);
});

nightly('an empty list offers the first action, and rows copy their keys', async () => {
  const visitor = await site.open();
  const { page } = visitor;
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visitor.signIn(admin, '/wallets');
  const status = page.getByRole('status').filter({ hasText: 'No wallets yet' });
  await status.getByRole('textbox').fill('li@example.com');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/wallets/li%40example.com');
  await visitor.visit('/configs');
  const row = page.getByRole('row', { name: /list\.key-02/ });
  await row.hover();
  await row.getByRole('button', { name: 'Copy: Key' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('list.key-02');
  expect(new URL(page.url()).pathname).toBe('/configs');
});
