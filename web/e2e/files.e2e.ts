// Proves G6.6.

import type { Visitor } from './browser';
import { expect, tenantSite, test } from './site';

const site = tenantSite();

const dialogOf = ({ page }: Visitor) => page.getByRole('dialog');
const press = (visitor: Visitor, name: string) => dialogOf(visitor).getByRole('button', { name, exact: true }).click();
const choose = ({ page }: Visitor, name: string, buffer: Buffer) => page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
const itemNow = (sku: string) => site.request<{ name: string; price: number }>('GET', `/items/${sku}`);

/** Opens the import of items. */
async function importItems(): Promise<Visitor> {
  const visitor = await site.enter('/items');
  await visitor.page.getByRole('button', { name: 'Import', exact: true }).click();
  return visitor;
}

test('a file of Excel in the West is read in its code page, and its malformed lines are refused by number', async () => {
  const visitor = await importItems();
  const dialog = dialogOf(visitor);
  const lines = [
    'sep=;',
    'SKU;Name;Price;Note',
    'FILE-1;Müller Tee;12.00;x',
    '"FILE-2;Tee;9.00;x',
    'FILE-3;"Green" tea;9.00;x',
    'FILE-4;Tee',
    'FILE-5;Grün;8.00;y',
  ];
  await choose(visitor, 'items.csv', Buffer.from(lines.join('\r\n'), 'latin1'));
  await dialog.getByText('2 rows will be sent').waitFor();
  const encoding = dialog.getByRole('combobox', { name: 'Encoding of items.csv' });
  expect(await encoding.inputValue()).toBe('windows-1252');
  await dialog.getByText('Müller · Grün').waitFor();
  await dialog.getByText('Used: SKU, Name, and Price. Ignored: Note.').waitFor();
  await dialog.getByText('Cells are separated by semicolons.').waitFor();
  await dialog.getByText(/^2 lines are ignored because a quote .*: 4, 5$/).waitFor();
  await dialog.getByText(/^1 line is ignored because its number of cells .*: 6$/).waitFor();
  await visitor.inspectBothLanguages('files-table');
  await visitor.speak('en');
  await encoding.selectOption('gb18030');
  await dialog
    .getByText(/M黮ler/)
    .first()
    .waitFor();
  await encoding.selectOption('windows-1252');
  await press(visitor, 'Import 2 items');
  await dialog.getByText('2 items are imported.').waitFor();
  expect(await itemNow('FILE-1')).toMatchObject({ name: 'Müller Tee', price: 1200 });
  expect(await itemNow('FILE-5')).toMatchObject({ name: 'Grün', price: 800 });
  expect(await site.request('GET', '/items?q=FILE-')).toMatchObject({ total: 2 });
  // The lines stay unchanged, and completed ones are not sent again.
  await press(visitor, 'Continue with 3 remaining lines');
  expect(await dialog.getByRole('textbox', { name: 'Table' }).inputValue()).toBe(lines.join('\n'));
  await dialog.getByText('FILE-1, FILE-5 · is already done').waitFor();
  expect(await dialog.locator('button[type=submit]').isDisabled()).toBe(true);
  await visitor.check();
});

test('a head that is not known is a question, and no line is used before its answer', async () => {
  const visitor = await importItems();
  const dialog = dialogOf(visitor);
  await choose(visitor, 'artikel.csv', Buffer.from('Pris;Kolli;Vare\n3.00;HEAD-1;Tasse\n'));
  await dialog.getByText('Assign the columns', { exact: true }).waitFor();
  await dialog.getByText('artikel.csv is read as UTF-8.').waitFor();
  await visitor.inspectBothLanguages('files-question');
  await visitor.speak('en');
  expect(await dialog.locator('button[type=submit]').isDisabled()).toBe(true);
  for (const [column, use] of [
    ['Pris', 'Price'],
    ['Kolli', 'SKU'],
    ['Vare', 'Name'],
  ] as const) {
    await dialog.getByRole('combobox', { name: column }).selectOption({ label: use });
  }
  await press(visitor, 'Apply');
  await press(visitor, 'Import 1 item');
  await dialog.getByText('1 item is imported.').waitFor();
  expect(await itemNow('HEAD-1')).toMatchObject({ name: 'Tasse', price: 300 });
  expect(await site.request('GET', '/items?q=Kolli')).toMatchObject({ total: 0 });
  await visitor.check();
});

test('variants of a shop are separate items, and their prices have a decimal comma', async () => {
  const visitor = await importItems();
  const dialog = dialogOf(visitor);
  const lines = [
    'Handle;Title;Option1 Value;Variant SKU;Variant Price;Image Src',
    'cup;Tasse;groß;VAR-1;12,50;a.jpg',
    'cup;;klein;VAR-2;8,00;',
    'cup;;;;;b.jpg',
  ];
  await choose(visitor, 'products.csv', Buffer.from(lines.join('\r\n'), 'latin1'));
  await dialog.getByText('2 rows will be sent').waitFor();
  await dialog.getByText('Numbers have a decimal comma').waitFor();
  await dialog.getByText('1 line is ignored because SKU is empty: 4').waitFor();
  await press(visitor, 'Import 2 items');
  await dialog.getByText('2 items are imported.').waitFor();
  expect(await itemNow('VAR-1')).toMatchObject({ name: 'Tasse - groß', price: 1250 });
  expect(await itemNow('VAR-2')).toMatchObject({ name: 'Tasse - klein', price: 800 });
  expect(await site.request('GET', '/items?q=cup')).toMatchObject({ total: 0 });
  await visitor.check();
});

test('what is no text is refused, and so is each line with a broken byte', async () => {
  const visitor = await importItems();
  const dialog = dialogOf(visitor);
  await choose(visitor, 'items.xlsx', Buffer.from('PK\u0003\u0004\u0014\0\0\0', 'latin1'));
  await dialog.getByText('items.xlsx is not a text file.').waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Table' }).inputValue()).toBe('');
  const broken = Buffer.concat([Buffer.from('SKU,Name,Price\nBYTE-1,Grüner Tee,8.00\nBYTE-2,Gr'), Buffer.from([0xff]), Buffer.from('n,9.00\n')]);
  await choose(visitor, 'items.csv', broken);
  await dialog.getByText(/^1 line is ignored because it contains bytes that are invalid in this encoding: 3$/).waitFor();
  await press(visitor, 'Import 1 item');
  await dialog.getByText('1 item is imported.').waitFor();
  expect(await site.request('GET', '/items?q=BYTE-')).toMatchObject({ total: 1, items: [{ name: 'Grüner Tee' }] });
  await visitor.check();
});

test('the words of a table are no list of customers', async () => {
  const [validFrom, validTo] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const terms = { name: 'Harvest', kind: 'percent', value: 20, total: 50, perUser: 1, validFrom, validTo };
  const { id } = await site.request<{ id: number }>('POST', '/coupon-campaigns', terms);
  const visitor = await site.enter(`/coupon-campaigns/${id}`);
  const dialog = dialogOf(visitor);
  await visitor.page.getByRole('button', { name: 'Issue to a list' }).click();
  await dialog.getByRole('textbox', { name: 'List' }).fill('contact,name\nada@example.com,Ada\nli@example.com,Li');
  await dialog.getByText('Assign the columns', { exact: true }).waitFor();
  expect(await dialog.locator('button[type=submit]').isDisabled()).toBe(true);
  await visitor.inspectBothLanguages('files-list');
  await visitor.speak('en');
  await press(visitor, 'Apply');
  await dialog.getByText('2 rows will be sent').waitFor();
  await press(visitor, 'Issue 2 coupons');
  await dialog.getByText('2 coupons were issued').waitFor();
  const { items } = await site.request<{ items: { userId: string }[] }>('GET', `/coupons?campaignId=${id}`);
  expect(items.map(({ userId }) => userId).sort()).toEqual(['ada@example.com', 'li@example.com']);
  await visitor.check();
});

test('a file of configs is read in its code page, and not at all with a broken byte', async () => {
  const visitor = await site.enter('/configs?prefix=file.');
  const { page } = visitor;
  const dialog = dialogOf(visitor);
  const text = '{"exportedTime":"2026-01-31T09:30:00Z","configs":[\n{"key":"file.name","value":"Müller"}]}';
  await page.getByRole('button', { name: 'Import' }).click();
  await choose(visitor, 'broken.json', Buffer.concat([Buffer.from(text.slice(0, -3)), Buffer.from([0xff]), Buffer.from('"}]}')]));
  await dialog.getByText('Line 2 contains bytes that are invalid in this encoding.').waitFor();
  expect(await dialog.getByRole('button', { name: /^Import \d/ }).count()).toBe(0);
  await choose(visitor, 'configs.json', Buffer.from(text, 'latin1'));
  expect(await dialog.getByRole('combobox', { name: 'Encoding of configs.json' }).inputValue()).toBe('windows-1252');
  await dialog.getByText('Format: json').waitFor();
  await visitor.inspectBothLanguages('files-configs');
  await visitor.speak('en');
  await press(visitor, 'Import 1 config');
  await dialog.getByText('Imported: 1 created').waitFor();
  expect(await site.request('GET', '/configs/file.name')).toMatchObject({ value: 'Müller' });
  await visitor.check();
});
