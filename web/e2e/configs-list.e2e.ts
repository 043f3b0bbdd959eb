import { expect, nightly, serviceSite, test } from './site';

interface Config {
  value: unknown;
  remark: string;
  version: number;
  etag: string;
}

const site = serviceSite();

const now = (key: string) => site.request<Config>('GET', `/configs/${key}`);

test('an empty list offers creation, and its input survives a reload', async () => {
  const visitor = await site.enter('/configs');
  const { page } = visitor;
  await page.getByText('No configs yet').waitFor();
  await visitor.settle();
  await visitor.check('configs-first');

  await page.getByRole('button', { name: 'New config' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Key' }).fill('shop.tax');
  await dialog.getByRole('radiogroup', { name: 'Type' }).getByText('Number').click();
  await dialog.getByRole('textbox', { name: 'Value' }).fill('7,5');
  await dialog.getByRole('button', { name: 'Create the config' }).click();
  await dialog.getByText('Enter a number such as').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'New config' }).first().click();
  await dialog.getByText(/Restored from your draft of/).waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('shop.tax');

  await dialog.getByRole('textbox', { name: 'Value' }).fill('7.50');
  await dialog.getByRole('textbox', { name: 'JSON Schema' }).fill('{"maximum":1}');
  await dialog.getByRole('button', { name: 'Create the config' }).click();
  await dialog.getByText('breaks its schema: maximum: got 7.5, want 1').waitFor();
  await visitor.check('configs-create-refused');
  await dialog.getByRole('textbox', { name: 'JSON Schema' }).fill('{"maximum":100}');
  await dialog.getByRole('button', { name: 'Create the config' }).click();

  await page.getByText('shop.tax was created.').waitFor();
  await page.getByRole('heading', { name: 'shop.tax' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('7.50');
  expect(await now('shop.tax')).toMatchObject({ value: 7.5, version: 1 });
});

test('a conflicting batch changes nothing and resumes from the new values', async () => {
  for (const name of ['a', 'b', 'c']) await site.request('POST', '/configs', { key: `rate.${name}`, value: 1 });
  await site.request('POST', '/configs', { key: 'rate.title', value: 'Rates' });
  const visitor = await site.enter('/configs?prefix=rate.');
  const { page } = visitor;
  await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
  await page.getByRole('region', { name: 'Chosen rows' }).getByRole('button', { name: 'Change or delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'New value' }).fill('2.50');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Rates of spring');
  await dialog.getByText('3 rows will change').waitFor();
  await dialog.getByText(/rate\.title.*has another type/).waitFor();

  await site.asLi('PATCH', '/configs/rate.b', { value: 9 }, { 'If-Match': (await now('rate.b')).etag });
  await dialog.getByText('changed by Li since you selected it').waitFor();
  await visitor.check('configs-batch-stale');
  await dialog.getByRole('button', { name: 'Set the value of 3 configs' }).click();

  await dialog.getByText('Nothing was changed: 1 row has a conflict').waitFor();
  await dialog.getByText(/Li changed it/).waitFor();
  expect(await dialog.getByText('no conflict, not changed').count()).toBe(2);
  expect((await now('rate.a')).version).toBe(1);
  await visitor.check('configs-batch-conflict');
  const saving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Results as CSV' }).click();
  expect((await saving).suggestedFilename()).toBe('configs-batch.csv');

  await dialog.getByRole('button', { name: 'Continue with current versions' }).click();
  await dialog.getByRole('button', { name: 'Set the value of 3 configs' }).click();

  await dialog.getByText('The values of 3 configs were set.').waitFor();
  for (const name of ['a', 'b', 'c']) expect((await now(`rate.${name}`)).value).toBe(2.5);
  expect(await now('rate.title')).toMatchObject({ value: 'Rates', version: 1 });
  const { items } = await site.request<{ items: { note: string }[] }>('GET', '/configs/rate.b/history');
  expect(items[0]?.note).toBe('Rates of spring');
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(await page.getByRole('region', { name: 'Chosen rows' }).count()).toBe(0);
});

nightly('all matching rows are selected, changed and deselected by keyboard', async () => {
  for (let i = 10; i < 40; i++) await site.request('POST', '/configs', { key: `many.${i}`, value: `v${i}` });
  const visitor = await site.enter('/configs?prefix=many.&limit=25');
  const { page } = visitor;
  await page.getByRole('checkbox', { name: 'Choose all rows of this page', disabled: false }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Choose all 30 that match' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /many\.11/ }).focus();
  await page.keyboard.press('Space');
  await page.getByText('29 chosen').waitFor();
  await page.getByRole('button', { name: 'Change or delete…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change 29 configs' });
  await dialog.waitFor();
  await dialog.getByRole('radio', { name: 'Set the value' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await dialog.getByRole('button', { name: 'Delete 29 configs' }).focus();
  await page.keyboard.press('Enter');

  await dialog.getByText('29 configs were deleted.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await site.request<{ total: number }>('GET', '/configs?prefix=many.')).toMatchObject({ total: 1 });
  expect(await now('many.11')).toMatchObject({ version: 1 });
});

nightly('an import previews its changes and applies them after confirmation', async () => {
  await site.request('POST', '/configs', { key: 'in.same', value: 'same' });
  await site.request('POST', '/configs', { key: 'in.old', value: 1, remark: 'before' });
  const visitor = await site.enter('/configs?prefix=in.');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog');
  const choose = (text: string) => page.locator('input[type=file]').setInputFiles({ name: 'in.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await choose('{"configs": [');
  await dialog.getByText('The file cannot be read').waitFor();
  await dialog.getByText('in.json:1: ').waitFor();
  const old = { key: 'in.old', value: 2, remark: 'after' };
  const same = { key: 'in.same', value: 'same' };
  await choose(JSON.stringify({ configs: [same, old, { key: 'in.new', value: true }, { key: 'in.bad', value: 1, valueType: 'string' }] }));
  await dialog.getByText('1 entry prevents the import').waitFor();
  expect(await dialog.getByRole('button', { name: /^Import \d/ }).isDisabled()).toBe(true);
  const row = dialog.getByRole('listitem').filter({ hasText: 'in.old' });
  expect((await row.innerText()).replace(/\s+/g, ' ')).toContain('Remark before → after Value 1 → 2');
  await visitor.check('configs-import-refused');
  expect(await site.request<{ total: number }>('GET', '/configs?prefix=in')).toMatchObject({ total: 2 });

  await choose(JSON.stringify({ configs: [same, old, { key: 'in.new', value: true }] }));
  await dialog.getByRole('textbox', { name: 'Note' }).fill('From the other shop');
  await dialog.getByRole('button', { name: 'Import 2 configs' }).click();

  await dialog.getByText('Imported: 1 created, 1 changed, 1 unchanged.').waitFor();
  await visitor.check('configs-import-done');
  expect(await now('in.old')).toMatchObject({ value: 2, remark: 'after', version: 2 });
  expect(await now('in.new')).toMatchObject({ value: true });
  expect(await now('in.same')).toMatchObject({ version: 1 });
});

test('a file of another program is imported as previewed, and nothing else', async () => {
  await site.request('POST', '/configs', { key: 'mix.tax', value: 1, remark: 'percent' });
  const visitor = await site.enter('/configs?prefix=mix.');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog');
  const text = 'mix:\n  tax: 2\n  hosts: &h [a]\n---\nspring.config.activate.on-profile: prod\nmix:\n  tax: 3\n';
  await page.locator('input[type=file]').setInputFiles({ name: 'application.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
  await dialog.getByText('Format: yaml').waitFor();
  await dialog.getByText('has an anchor or alias').waitFor();
  await dialog.getByText('the values of the profile prod are not read').waitFor();
  await dialog.getByRole('combobox', { name: 'Environment' }).selectOption('prod');
  await dialog.getByText('Value 1 → 3').first().waitFor();
  await site.asLi('PATCH', '/configs/mix.tax', { remark: 'of Li' }, { 'If-Match': (await now('mix.tax')).etag });
  await dialog.getByRole('button', { name: 'Import 1 config' }).click();
  await dialog.getByText('Nothing was imported: configs changed').waitFor();
  expect((await now('mix.tax')).value).toBe(1);
  await dialog.getByRole('button', { name: 'Check again' }).click();
  await visitor.check('configs-import-converted');
  await dialog.getByRole('button', { name: 'Import 1 config' }).click();
  await dialog.getByText('Imported: 0 created, 1 changed').waitFor();
  expect(await now('mix.tax')).toMatchObject({ value: 3, remark: 'of Li' });
});

test('an outdated import is rejected, and is checked again', async () => {
  const visitor = await site.enter('/configs?prefix=race.');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'in.json', mimeType: 'application/json', buffer: Buffer.from('{"configs":[{"key":"race.a","value":1}]}') });
  await dialog.getByText('Checking the file').waitFor({ state: 'detached' });
  await dialog.getByRole('combobox').selectOption('fail');
  await expect.poll(() => dialog.getByRole('button', { name: 'Import 1 config' }).isEnabled()).toBe(true);
  await site.asLi('POST', '/configs', { key: 'race.a', value: 2 });
  await dialog.getByRole('button', { name: 'Import 1 config' }).click();

  await dialog.getByText('Nothing was imported: configs changed').waitFor();
  await dialog.getByText('It exists with other content; Li changed it last.').waitFor();
  expect((await now('race.a')).value).toBe(2);
  await dialog.getByRole('button', { name: 'Check again' }).click();
  await dialog.getByText('1 entry prevents the import').waitFor();
  await dialog.getByRole('combobox').selectOption('update');
  await dialog.getByRole('button', { name: 'Import 1 config' }).click();
  await dialog.getByText('Imported: 0 created, 1 changed').waitFor();
  expect((await now('race.a')).value).toBe(1);
});

nightly('an export of any size can be imported again', async () => {
  for (let i = 0; i < 8; i++) await site.request('POST', '/configs', { key: `large.${i}`, value: 'x'.repeat(200_000) });
  const visitor = await site.enter('/configs?prefix=large.');
  const { page } = visitor;
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export large.*' }).click();
  const file = await (await saving).path();
  await site.asLi('PATCH', '/configs/large.3', { value: 'lost' }, { 'If-Match': (await now('large.3')).etag });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Import 1 config' }).click();

  await dialog.getByText('Imported: 0 created, 1 changed, 7 unchanged.').waitFor();
  expect((await now('large.3')).value).toBe('x'.repeat(200_000));
});

nightly('the feed shows changes live, queues them while paused, and marks rows', async () => {
  await site.request('POST', '/configs', { key: 'seen.one', value: 1 });
  const visitor = await site.enter('/configs?prefix=seen.');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Watch' }).click();
  await page.getByText('No changes missed since you opened this').waitFor();
  const lines = page.getByRole('list', { name: 'Changes, newest first' }).getByRole('listitem');

  await site.asLi('PATCH', '/configs/seen.one', { value: 2 }, { 'If-Match': (await now('seen.one')).etag });
  await lines.filter({ hasText: 'Li changed it' }).waitFor();
  await page.locator('tr[data-fresh]', { hasText: 'seen.one' }).waitFor();
  await page
    .getByRole('row', { name: /seen\.one/ })
    .getByText('2', { exact: true })
    .waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await site.asLi('DELETE', '/configs/seen.one', undefined, { 'If-Match': (await now('seen.one')).etag });
  await page.getByRole('button', { name: 'Resume: 1 new' }).click();
  await lines.filter({ hasText: 'Li deleted it' }).waitFor();
  expect(await lines.count()).toBe(2);

  await site.service.pause();
  await page.getByText('Reconnecting; missed changes will follow').waitFor();
  await site.service.run();
  await site.request('POST', '/configs', { key: 'seen.two', value: 1 });
  await lines.filter({ hasText: 'seen.two' }).waitFor();
  await visitor.check('configs-watch');
});
