import type { Page, Route } from '@playwright/test';
import { admin } from './service';
import { expect, li, nightly, tenantSite, test } from './site';

interface Config {
  value: unknown;
  remark: string;
  version: number;
  etag: string;
}

const site = tenantSite();

const stored = (key: string) => site.request<Config>('GET', `/configs/${key}`);
const create = (key: string, value: unknown, valueType: string) => site.request('POST', '/configs', { key, value, valueType, remark: 'as it was' });
const edit = async (key: string, patch: unknown, by = site.asLi) => by<Config>('PATCH', `/configs/${key}`, patch, { 'If-Match': (await stored(key)).etag });

const open = (key: string, credentials = admin) => site.enter(`/configs/${key}`, credentials);

const value = (page: Page) => page.getByRole('textbox', { name: 'Value', exact: true });
const remark = (page: Page) => page.getByRole('textbox', { name: 'Remark', exact: true });

/** Replaces the text in CodeMirror, as a user does. */
async function write(page: Page, text: string): Promise<void> {
  await value(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

const save = (page: Page) => page.getByRole('button', { name: /^Save · v/ }).click();

test('edits of different fields merge, with a link to the difference', async () => {
  await create('checkout.tax', 0.19, 'number');
  const first = await open('checkout.tax');
  const second = await open('checkout.tax', li);
  await value(first.page).fill('0.2100');
  await remark(second.page).fill('Raised for 2026');
  await save(second.page);
  await expect.poll(async () => (await stored('checkout.tax')).version).toBe(2);

  await save(first.page);

  await first.page.getByText('Saved and merged with Li’s change to Remark.').waitFor();
  expect(await stored('checkout.tax')).toMatchObject({ value: 0.21, remark: 'Raised for 2026', version: 3 });
  expect(await remark(first.page).inputValue()).toBe('Raised for 2026');
  await first.check('config-merged');
  await first.page.getByRole('link', { name: 'Show the difference' }).click();
  const difference = first.page.getByRole('region', { name: 'Difference between two versions' });
  await difference.getByText('Raised for 2026').waitFor();
  await difference.getByText('0.2100').waitFor();
});

test('only the contested field prompts, and choices survive a second conflict', async () => {
  await create('checkout.payment', { timeoutMs: 3000, retries: 2, methods: ['card', 'wallet'] }, 'json');
  const first = await open('checkout.payment');
  await write(first.page, '{"timeoutMs": 5000, "retries": 3, "methods": ["card", "wallet", "alipay"]}');
  await edit('checkout.payment', { value: { timeoutMs: 8000, methods: ['card', 'wallet', 'paypal'] }, remark: 'Raised for the 11.11 sale' });

  await save(first.page);

  const { page } = first;
  await page.getByText(/Li saved v2 .*, while you were editing v1\./).waitFor();
  await page.getByText('2 of your changes merge automatically. 1 value was changed by both: choose below.').waitFor();
  const timeout = page.getByRole('group', { name: '/timeoutMs' });
  await page.getByText('+ paypal (Li)').waitFor();
  await page.getByText('+ alipay (you)').waitFor();
  expect(await page.getByRole('button', { name: /^Save merged/ }).isDisabled()).toBe(true);
  await timeout.getByRole('button', { name: /^Keep yours/ }).click();
  await timeout.getByText('kept', { exact: true }).waitFor();
  await first.check('config-conflict');
  expect(await stored('checkout.payment')).toMatchObject({ version: 2 });

  await edit('checkout.payment', { value: { timeoutMs: 9000 } });
  await page.getByText(/Li saved v3 .*, while you were editing v1\./).waitFor();
  await timeout.getByText('9000').waitFor();
  await timeout.getByText('kept', { exact: true }).waitFor();
  await page.reload();
  await first.settle();
  await page.getByRole('button', { name: 'Compare' }).click();
  await timeout.getByText('kept', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save merged · v4' }).click();

  await expect.poll(async () => (await stored('checkout.payment')).version).toBe(4);
  expect(await stored('checkout.payment')).toMatchObject({
    value: { timeoutMs: 5000, retries: 3, methods: ['card', 'wallet', 'paypal', 'alipay'] },
    remark: 'Raised for the 11.11 sale',
  });
  await page.getByText('No changes.').waitFor();
});

test('an accepted value that changes again prompts again', async () => {
  await create('queue.limit', 10, 'number');
  const first = await open('queue.limit');
  const { page } = first;
  await value(page).fill('20');
  await edit('queue.limit', { value: 30 });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('button', { name: /^Take Li’s/ }).click();
  await page.getByText('taken', { exact: true }).waitFor();
  await edit('queue.limit', { value: 40 });
  await page.getByText('taken', { exact: true }).waitFor({ state: 'detached' });

  await page.getByRole('textbox', { name: 'Another value for Value' }).fill('35');
  await page.getByRole('button', { name: /^Save merged/ }).click();

  await expect.poll(async () => (await stored('queue.limit')).value).toBe(35);
});

test('a config deleted during the edit can be recreated from the input', async () => {
  await create('banner.text', 'Welcome', 'string');
  const first = await open('banner.text');
  const second = await open('banner.text', li);
  await value(first.page).fill('Welcome back');
  await second.page.getByRole('button', { name: 'Delete…' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await second.page.getByText('banner.text was deleted.').waitFor();

  await first.page.getByText(/^Li deleted this record (just now|\d)/).waitFor();
  expect(await value(first.page).inputValue()).toBe('Welcome back');
  await first.check('config-deleted');
  await first.page.reload();
  await first.page.getByText(/^Your draft was not saved before the deletion/, { exact: false }).waitFor();
  await first.page.getByRole('button', { name: 'Recreate' }).click();

  await expect.poll(async () => (await stored('banner.text').catch(() => undefined))?.value).toBe('Welcome back');
  await first.page.getByText('No changes.').waitFor();
});

test('a stale deletion deletes nothing and names the editor', async () => {
  await create('mail.from', 'a@example.org', 'string');
  const first = await open('mail.from');
  await first.page.getByRole('button', { name: 'Delete…' }).click();
  await edit('mail.from', { value: 'b@example.org' });
  await first.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();

  await first.page.getByText('Li has saved v2, so nothing was deleted. Review it and decide again.').waitFor();
  expect(await stored('mail.from')).toMatchObject({ value: 'b@example.org', version: 2 });
});

test('a clean form refreshes within a second; a dirty one preserves its edits', async () => {
  await create('search.boost', 1, 'number');
  const first = await open('search.boost');
  // The limit is twice the time that the machine needs to open the page.
  const opens = Date.now();
  await first.visit('/configs/search.boost');
  const soon = Math.max(1000, 2 * (Date.now() - opens));
  await first.page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const took: number[] = [];
  for (const next of ['2', '3', '4']) {
    await edit('search.boost', { value: Number(next) });
    const since = Date.now();
    await expect.poll(() => value(first.page).inputValue(), { intervals: [20] }).toBe(next);
    took.push(Date.now() - since);
  }
  expect(took.sort((a, b) => a - b)[1], `took ${took.join(', ')} ms`).toBeLessThan(soon);
  await first.page.getByText(/Li saved v4 .*; this page is up to date\./).waitFor();
  await first.page.getByText('changed by Li', { exact: true }).waitFor();

  await value(first.page).fill('50');
  await edit('search.boost', { value: 60, remark: 'theirs' });
  await first.page.getByText(/Li saved v5 .* while you were editing v4\./).waitFor();
  await first.page.getByText('Changed: Remark and Value.', { exact: false }).waitFor();
  expect(await value(first.page).inputValue()).toBe('50');
  expect(await remark(first.page).inputValue()).toBe('as it was');
  await first.check();
});

test('the user’s save shows no notice, and a reformatted document no change', async () => {
  await create('own.save', { a: 1 }, 'json');
  const first = await open('own.save');
  await write(first.page, '{"a":1}');
  await first.page.getByText('Only the formatting changed; there is nothing to save.').waitFor();
  expect(await first.page.getByRole('button', { name: /^Save · v/ }).isDisabled()).toBe(true);
  await write(first.page, '{"a": 12345678901234567890.10}');
  await save(first.page);
  await first.page.getByText('Saved as v2.').waitFor();
  await first.page.getByText('No changes.').waitFor();
  expect(await first.page.getByText(/saved v2/).count()).toBe(0);
  const raw = await fetch(`${site.address}/api/v1/configs/own.save`, {
    headers: { Cookie: (await first.context.cookies()).map((c) => `${c.name}=${c.value}`).join('; ') },
  });
  expect(await raw.text()).toContain('12345678901234567890.10');
});

nightly('invalid JSON and schema violations are marked at their position', async () => {
  await site.request('POST', '/configs', {
    key: 'with.schema',
    valueType: 'json',
    value: { size: 1 },
    schema: { type: 'object', properties: { size: { type: 'integer', maximum: 9 } } },
  });
  const first = await open('with.schema');
  const { page } = first;
  await write(page, '{\n"size": ,\n}');
  await page.getByRole('button', { name: 'Line 2:' }).waitFor();
  expect(await page.getByRole('button', { name: /^Save · v/ }).isDisabled()).toBe(true);
  await write(page, '{\n\n"size": 10}');
  await save(page);
  await page.getByRole('button', { name: 'Line 3:' }).waitFor();
  await first.check('config-refused');
  expect(await stored('with.schema')).toMatchObject({ version: 1 });
});

test('other users are shown on record and field until they leave', async () => {
  await create('shared.one', 1, 'number');
  const first = await open('shared.one');
  const second = await open('shared.one', li);
  await remark(second.page).focus();

  await first.page.getByText('Li is here').waitFor();
  await first.page.getByText(/^Also here: Li/).waitFor();
  expect(await first.page.locator('[data-field=remark]').getByText('Li is here').count()).toBe(1);
  await first.shoot('config-presence');
  await second.page.goto('about:blank');

  await first.page.getByText(/^Also here: Li/).waitFor({ state: 'detached' });
});

test('input survives a reload, a closed tab, a crash and session end', async () => {
  await create('draft.kept', 1, 'number');
  const first = await open('draft.kept');
  await value(first.page).fill('2');
  await first.page.reload();
  await first.page.getByText(/Restored from your draft of/).waitFor();
  expect(await value(first.page).inputValue()).toBe('2');

  await value(first.page).fill('3');
  await first.page.close();
  const reopened = await first.context.newPage();
  await reopened.goto('/configs/draft.kept');
  await expect.poll(() => value(reopened).inputValue()).toBe('3');

  await value(reopened).fill('4');
  await reopened.getByText('1 → 4').waitFor();
  const crashed = new Promise((resolve) => reopened.once('crash', resolve));
  const devtools = await first.context.newCDPSession(reopened);
  void devtools.send('Page.crash').catch(() => undefined);
  await crashed;
  const after = await first.context.newPage();
  await after.goto('/configs/draft.kept');
  await expect.poll(() => value(after).inputValue()).toBe('4');

  // The session ends as the edit is sent. If another request met the end first, the dialog would cover the button.
  const endSession = async (route: Route) => {
    await first.context.clearCookies();
    await route.continue();
  };
  await after.route('**/api/v1/configs/draft.kept*', endSession, { times: 1 });
  await save(after);
  const dialog = after.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  expect(await value(after).inputValue()).toBe('4');
  await dialog.locator('input[name=password]').fill(admin.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect.poll(async () => (await stored('draft.kept')).value).toBe(4);
});

nightly('a version is compared and restored with a note; a conflict changes nothing', async () => {
  await create('rolled.back', { rate: 1, more: [1, 2] }, 'json');
  await edit('rolled.back', { value: { rate: 2 } });
  const first = await open('rolled.back');
  const { page } = first;
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByRole('link', { name: 'Compare v1 with the current one' }).click();
  await page.getByRole('region', { name: 'Difference between two versions' }).getByText('/rate').waitFor();
  await page.locator('.cm-mergeView').waitFor();
  await first.check('config-history');
  await page.getByRole('button', { name: 'Roll back to v1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('double charges');
  await edit('rolled.back', { value: { rate: 3 } });
  await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByText(/Li saved v3 .*, so nothing was rolled back/).waitFor();
  expect(await stored('rolled.back')).toMatchObject({ value: { rate: 3 }, version: 3 });

  await page.getByRole('button', { name: 'Roll back to v1' }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('double charges');
  await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();

  await page.getByText('Rolled back: v4 has the content of v1.').waitFor();
  expect(await stored('rolled.back')).toMatchObject({ value: { rate: 1, more: [1, 2] }, version: 4 });
  const { items } = await site.request<{ items: { action: string; note: string }[] }>('GET', '/configs/rolled.back/history');
  expect(items[0]).toMatchObject({ action: 'rollback', note: 'double charges' });
});

test('an overwrite needs a reason, which the history shows', async () => {
  await create('checkout.banner', 'old', 'string');
  const first = await open('checkout.banner');
  const { page } = first;
  await value(page).fill('mine');
  await edit('checkout.banner', { value: 'theirs', remark: 'by Li' });
  await save(page);
  await page.getByRole('button', { name: 'Overwrite anyway…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Overwrite Li’s changes?' });
  await dialog.getByText('Version 3 becomes exactly your form.').waitFor();
  await first.check('config-overwrite');
  await dialog.getByRole('textbox').fill('The sale starts now');
  await dialog.getByRole('button', { name: 'Overwrite v2' }).click();
  await page.getByText('Saved as v3').waitFor();
  expect(await stored('checkout.banner')).toMatchObject({ value: 'mine', remark: 'as it was', version: 3 });
  const { items } = await site.request<{ items: { note: string; detail: unknown }[] }>('GET', '/audit-log?resource=configs/checkout.banner&limit=1');
  expect(items[0]).toMatchObject({ note: 'The sale starts now', detail: { destroyed: { value: 'theirs', remark: 'by Li' } } });
});

test('undo of a save creates a new version', async () => {
  await create('checkout.greeting', 'hello', 'string');
  const first = await open('checkout.greeting');
  const { page } = first;
  await value(page).fill('goodbye');
  await save(page);
  await page.getByText('Saved as v2').waitFor();
  await first.check();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('v2 was undone.').waitFor();
  expect(await stored('checkout.greeting')).toMatchObject({ value: 'hello', version: 3 });
  await expect.poll(() => value(page).inputValue()).toBe('hello');
});

test('an edit with a conflict needs only the keyboard', async () => {
  await create('by.keyboard', 1, 'number');
  const first = await site.enter('/configs?prefix=by.');
  const { page } = first;
  await reach(page, 'by.keyboard');
  await page.keyboard.press('Enter');
  await value(page).waitFor();
  await reach(page, 'Value');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('2');
  await edit('by.keyboard', { value: 3 });
  await page.getByText(/while you were editing v1/).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByRole('group', { name: 'Value' }).waitFor();
  await reach(page, 'Keep yours for Value');
  await page.keyboard.press('Enter');
  await reach(page, 'Save merged · v3');
  await page.keyboard.press('Enter');

  await expect.poll(async () => (await stored('by.keyboard')).value).toBe(2);
});

/** Presses Tab until the element with a name has the focus. */
async function reach(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? '';
    });
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    if ((await focused()) === name) return;
  }
  throw new Error(`${name} cannot be reached by Tab`);
}

nightly('a secret is shown on request with permission, and otherwise only replaced', async () => {
  await site.request('POST', '/configs', { key: 'mail.password', value: 'nightingale', valueType: 'string', remark: 'of the relay', secret: true });
  const first = await open('mail.password');
  await first.page.getByText('The value is secret. It is displayed on request.').waitFor();
  expect(await first.page.content()).not.toContain('nightingale');
  await first.check('config-secret');
  await first.page.getByRole('button', { name: 'Show the value' }).click();
  expect(await value(first.page).inputValue()).toBe('nightingale');

  const clerk = { username: 'clerk', password: 'gravel-six-lantern' };
  await site.request('POST', '/roles', { name: 'clerk', permissions: ['configs:read', 'configs:write'] });
  await site.request('POST', '/users', { ...clerk, displayName: 'Clerk', roles: ['clerk'] });
  const second = await open('mail.password', clerk);
  const { page } = second;
  await page.getByText('The value is secret, and you may not read it.').waitFor();
  await second.check('config-secret-withheld');
  await page.getByRole('button', { name: 'Replace the value' }).click();
  await value(page).fill('skylark');
  await page.getByText('This browser stores no draft of a secret', { exact: false }).waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('skylark');
  await page.getByRole('link', { name: 'Configs' }).first().click();
  await page.getByRole('link', { name: 'mail.password' }).click();
  expect(await value(page).inputValue()).toBe('skylark');

  // Another admin replaces the value concurrently: the save shows a conflict and does not overwrite it.
  await edit('mail.password', { value: 'blackbird' });
  await save(page);
  await page.getByText(/saved v2 .* while you were editing v1\./).waitFor();
  expect(await stored('mail.password')).toMatchObject({ value: 'blackbird', version: 2 });
  await page
    .getByRole('group', { name: 'Value' })
    .getByRole('button', { name: /^Keep yours/ })
    .click();
  await second.shoot('config-secret-conflict');
  await page.getByRole('button', { name: /^Save merged/ }).click();
  await expect.poll(async () => (await stored('mail.password')).value).toBe('skylark');
  await page.goto('/configs');
  await page.getByText('hidden', { exact: true }).waitFor();
  await second.shoot('configs-secret-list');
});
