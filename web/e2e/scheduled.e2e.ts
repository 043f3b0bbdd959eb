// Proves G8.21.

import type { Page } from '@playwright/test';
import type { Visitor } from './browser';
import { itemInStock } from './pages';
import { expect, li, nightly, tenantSite, test } from './site';

interface Stored {
  value: unknown;
  remark: string;
  name: string;
  version: number;
  etag: string;
}

const site = tenantSite();

const stored = (path: string) => site.request<Stored>('GET', path);
const create = (key: string, value: number, isProtected = false) =>
  site.request('POST', '/configs', { key, value, valueType: 'number', remark: 'as it was', protected: isProtected });

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** The time in an hour, as its input expects it. */
const inAnHour = (page: Page) =>
  page.evaluate(() => {
    const local = Date.now() - new Date().getTimezoneOffset() * 60_000;
    return new Date(local + 3_600_000).toISOString().slice(0, 19);
  });

/** Moves the scheduled change of a resource to the next seconds. */
async function comeDue(resource: string): Promise<void> {
  await expect(async () => {
    const { items } = await site.request<{ items: { id: number; etag: string }[] }>('GET', `/approvals?resource=${resource}&status=scheduled`);
    const effectiveTime = new Date(Date.now() + 2000).toISOString();
    await site.request('PATCH', `/approvals/${items[0]?.id ?? 0}`, { effectiveTime }, { 'If-Match': items[0]?.etag ?? '' });
  }).toPass();
}

/** Schedules the typed change for a time in an hour. */
async function schedule(visitor: Visitor, picture?: string) {
  const { page } = visitor;
  await button(page, 'Schedule…').click();
  const dialog = page.getByRole('dialog', { name: 'Schedule this change' });
  await dialog.getByText(/Time zone: .+/).waitFor();
  await dialog.getByLabel('Apply at').fill(await inAnHour(page));
  if (picture !== undefined) await visitor.inspect(picture);
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page
    .getByText(/^Scheduled for .+/)
    .first()
    .waitFor();
}

test('a scheduled change is shown and applied live at its time', async () => {
  await create('later.tax', 0.19);
  const first = await site.enter('/configs/later.tax');
  const { page } = first;
  expect(await button(page, 'Schedule…').isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Value', exact: true }).fill('0.2100');
  await button(page, 'Schedule…').click();
  await page.getByRole('dialog').getByText('0.2100').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await schedule(first, 'scheduled-dialog');

  await page.getByText(/scheduled a change for /).waitFor();
  expect(await page.getByRole('textbox', { name: 'Value', exact: true }).inputValue()).toBe('0.19');
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('configs/')))).toEqual([]);
  expect(await stored('/configs/later.tax')).toMatchObject({ value: 0.19, version: 1 });
  await first.check('scheduled-config');

  const second = await site.enter('/approvals?view=scheduled', li);
  await second.page.getByRole('link', { name: 'later.tax' }).waitFor();
  await second.check('scheduled-list');
  await second.page.getByRole('link', { name: /^Approval \d+$/ }).click();
  await comeDue('configs/later.tax');
  await second.page.getByText('scheduled it; the change was made').waitFor();
  await second.page.getByText('Approved', { exact: true }).first().waitFor();
  await second.shoot('scheduled-made');
  await expect.poll(() => page.getByRole('textbox', { name: 'Value', exact: true }).inputValue()).toBe('0.2100');
  await expect.poll(() => page.getByText(/scheduled a change for /).count()).toBe(0);
  expect(await stored('/configs/later.tax')).toMatchObject({ value: 0.21, version: 2 });
});

test('an edit makes a scheduled change stale and names its author', async () => {
  await create('later.stale', 1);
  const first = await site.enter('/configs/later.stale');
  await first.page.getByRole('textbox', { name: 'Value', exact: true }).fill('2');
  await schedule(first);
  await button(first.page, 'Show the approval').click();
  await first.page.getByText('The change is made at that time, unless the record changes before.').waitFor();
  await first.inspect('scheduled-approval');

  const second = await site.enter('/configs/later.stale', li);
  await second.page.getByText(/scheduled a change for /).waitFor();
  await second.page.getByRole('textbox', { name: 'Remark' }).fill('mine comes first');
  await button(second.page, /^Save · v2/).click();
  await second.page.getByText('Saved as v2.').waitFor();

  await first.page.getByText(/^Li changed the record ./).waitFor();
  await first.check();
  expect(await stored('/configs/later.stale')).toMatchObject({ value: 1, remark: 'mine comes first', version: 2 });
  await first.visit('/approvals?view=mineStale');
  await first.page
    .getByRole('link', { name: /^Approval \d+$/ })
    .first()
    .click();
  await button(first.page, 'Rebase').click();
  await first.page.getByText('Rebased onto the latest version. The change waits for its time.').waitFor();
  await second.page.getByText(/scheduled a change for /).waitFor();
});

nightly('a disabled author’s scheduled change is withdrawn by another user', async () => {
  const gone = { username: 'gone', password: 'gravel-three-lantern' };
  await site.request('POST', '/users', { ...gone, displayName: 'Gone', roles: ['admin'] });
  const asGone = await site.as(gone);
  await create('later.left', 1);
  const { etag } = await stored('/configs/later.left');
  const at = new Date(Date.now() + 10_000).toISOString();
  const { id, author } = await asGone<{ id: number; author: { id: number } }>(
    'PATCH',
    `/configs/later.left?effectiveTime=${at}`,
    { value: 2 },
    { 'If-Match': etag },
  );
  await site.request('POST', `/users/${author.id}/disable`);
  const first = await site.enter('/');
  await first.page.getByRole('link', { name: /^Stale changes/ }).click();
  await first.page.getByRole('link', { name: `Approval ${id}`, exact: true }).click();
  await first.page.getByText('The scheduled change failed').waitFor();
  await first.page
    .getByText(/author Gone was disabled/)
    .first()
    .waitFor();
  await first.check('scheduled-left');
  await button(first.page, 'Withdraw…').click();
  await first.page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
  await first.page.getByText('Withdrawn; nothing was changed.').waitFor();
  expect(await stored('/configs/later.left')).toMatchObject({ value: 1, version: 1 });
  await first.visit('/approvals?view=mineStale');
  expect(await first.page.getByRole('link', { name: `Approval ${id}`, exact: true }).count()).toBe(0);
});

test('a protected scheduled change needs votes before its time', async () => {
  await create('later.gate', 1, true);
  const { etag } = await stored('/configs/later.gate');
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await site.request<{ id: number }>('PATCH', `/configs/later.gate?effectiveTime=${at}`, { value: 2 }, { 'If-Match': etag });
  const second = await site.enter(`/approvals/${id}`, li);
  await button(second.page, 'Approve').click();
  await second.page.getByText(/With your vote the change is complete and takes effect on /).waitFor();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await second.page.getByText('Approved. The change waits for its time.').waitFor();
  await second.page.getByText(/scheduled a change for /).waitFor();
  expect(await stored('/configs/later.gate')).toMatchObject({ value: 1, version: 1 });
  await second.check();
});

nightly('a change of a flash sale is scheduled from its form', async () => {
  await site.request('POST', '/items', { sku: 'LATER-1', name: 'Later', price: 900 });
  const begins = Date.now() + 86_400_000;
  const { id } = await site.request<{ id: number }>('POST', '/flash-sales', {
    name: 'Noon sale',
    sku: 'LATER-1',
    price: 500,
    quantity: 10,
    perUserLimit: 1,
    startsTime: new Date(begins).toISOString(),
    endsTime: new Date(begins + 3_600_000).toISOString(),
  });
  const first = await site.enter(`/flash-sales/${id}`);
  const { page } = first;
  await button(page, 'Edit').click();
  await page.getByRole('dialog').getByLabel('Name').fill('Evening sale');
  await schedule(first, 'scheduled-sale-dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
  await page.getByText(/scheduled a change for /).waitFor();
  await first.check('scheduled-sale');
  await comeDue(`flash-sales/${id}`);
  await page.getByRole('heading', { name: 'Evening sale' }).waitFor();
  expect(await stored(`/flash-sales/${id}`)).toMatchObject({ name: 'Evening sale', version: 2 });
});

nightly('additional units of an open sale are scheduled and reserved on time', async () => {
  await itemInStock(site.request, { sku: 'LATER-2', name: 'Later', price: 900 });
  const { id } = await site.request<{ id: number }>('POST', '/flash-sales', {
    name: 'Open sale',
    sku: 'LATER-2',
    price: 500,
    quantity: 10,
    perUserLimit: 1,
    startsTime: new Date(Date.now() - 60_000).toISOString(),
    endsTime: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await site.request('POST', `/flash-sales/${id}/open`);
  const allotted = async () => (await site.request<{ allotted: number }>('GET', `/flash-sales/${id}/stats`)).allotted;
  const first = await site.enter(`/flash-sales/${id}`);
  const { page } = first;
  const dialog = page.getByRole('dialog');
  await button(page, 'Quantity').click();
  await dialog.getByRole('textbox', { name: 'Add, or subtract with a minus' }).fill('5');
  await button(page, 'Schedule…').click();
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.getByText('Enter a time.').waitFor();
  await dialog.getByLabel('Apply at').fill(await inAnHour(page));
  await first.inspect('scheduled-quantity');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page
    .getByText(/^Scheduled for .+/)
    .first()
    .waitFor();
  await page.getByText(/scheduled a change for /).waitFor();
  expect(await allotted()).toBe(10);
  await comeDue(`flash-sales/${id}`);
  await expect.poll(allotted).toBe(15);
  await expect.poll(() => page.getByText(/scheduled a change for /).count()).toBe(0);
  expect(await stored(`/flash-sales/${id}`)).toMatchObject({ quantity: 15 });
});
