// Proves G2.7.

import type { Page } from '@playwright/test';
import { itemInStock } from './pages';
import { admin } from './service';
import { expect, li, nightly, tenantSite, test } from './site';

interface WorkOrder {
  id: number;
  status: string;
  holder: { id: number; name: string } | null;
  etag: string;
}

const site = tenantSite();

const make = (title: string, more: object = {}) => site.request<WorkOrder>('POST', '/work-orders', { title, ...more });
const orderNow = (id: number) => site.request<WorkOrder>('GET', `/work-orders/${id}`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

test('the loser of two claims reads the holder despite later comments', async () => {
  const { id } = await make('A teapot arrived broken');
  const first = await site.enter(`/work-orders/${id}`, admin, { withoutStream: true });
  const second = await site.enter(`/work-orders/${id}`, li);
  await button(first.page, 'Claim').waitFor();
  await button(second.page, 'Claim').click();
  await second.page.getByText(`You claimed work order ${id}.`).waitFor();
  await site.request('POST', `/work-orders/${id}/comments`, { text: 'The courier has been called.' });

  await button(first.page, 'Claim').click();

  await first.page.getByText(/^Already claimed by Li /).waitFor();
  expect(await button(first.page, 'Claim').count()).toBe(0);
  await first.page.getByText('The courier has been called.').first().waitFor();
  expect(await orderNow(id)).toMatchObject({ status: 'claimed', holder: { name: 'Li' } });
  await first.check('work-orders-lost');
});

test('the list shows viewers and holders live', async () => {
  const { id } = await make('Where is order 41?', { priority: 'high', dueTime: new Date(Date.now() - 60_000).toISOString() });
  const first = await site.enter('/work-orders');
  const row = first.page.getByRole('row', { name: /Where is order 41\?/ });
  await row.getByText('Open', { exact: true }).waitFor();
  await row.getByText('Overdue').waitFor();
  await first.page.getByText('Live').first().waitFor();

  const second = await site.enter(`/work-orders/${id}`, li);
  await row.getByText('Also here: Li').waitFor({ state: 'attached' });
  await button(second.page, 'Claim').click();
  await row.getByRole('link', { name: 'Li', exact: true }).waitFor();
  await row.getByText('Claimed', { exact: true }).waitFor();
  await first.check('work-orders-live');
  await second.close();

  await expect.poll(() => row.getByText('Also here: Li').count()).toBe(0);
  expect(await row.getByRole('link', { name: 'Li', exact: true }).count()).toBe(1);
  // A user who opens the list later sees the users who are already present.
  await site.enter(`/work-orders/${id}`, li);
  await first.visit('/work-orders?status=claimed');
  await row.getByText('Also here: Li').waitFor({ state: 'attached' });
});

test('concurrent users who claim the next order receive different orders', async () => {
  const waiting = await site.request<{ items: WorkOrder[] }>('GET', '/work-orders?status=open');
  for (const { id } of waiting.items) await site.request('POST', `/work-orders/${id}/resolve`, { resolution: 'Done.' });
  await make('Low', { priority: 'low' });
  await make('Urgent', { priority: 'urgent' });
  const [first, second] = await site.two('/work-orders');
  await button(first.page, 'Claim the next').click();
  await first.page.getByRole('heading', { name: 'Urgent', level: 1 }).waitFor();
  await button(second.page, 'Claim the next').click();
  await second.page.getByRole('heading', { name: 'Low', level: 1 }).waitFor();
  await second.visit('/work-orders');
  await button(second.page, 'Claim the next').click();
  await second.page.getByText('No unclaimed work orders.').waitFor();
  const { items } = await site.request<{ items: WorkOrder[] }>('GET', '/work-orders?status=claimed');
  expect(items.filter(({ holder }) => holder === null)).toEqual([]);
  await button(second.page, 'Mine').click();
  await second.page.getByRole('link', { name: 'Low' }).waitFor();
  expect(await second.page.getByRole('link', { name: 'Urgent' }).count()).toBe(0);
  await second.check();
});

test('a work order links to its record, and duplicates are reported', async () => {
  await itemInStock(site.request, { sku: 'WRK-1', name: 'Green tea', price: 6000 });
  const visitor = await site.enter('/items/WRK-1');
  const { page } = visitor;
  await button(page, 'Create a work order').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Title' }).waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Records' }).inputValue()).toBe('items/WRK-1');
  await inDialog(page, 'Create').click();
  await dialog.getByText('Enter a title.').waitFor();
  await dialog.getByRole('textbox', { name: 'Title' }).fill('The picture is another tea');
  await dialog.getByRole('combobox', { name: 'Priority' }).selectOption('high');
  await visitor.check();
  await inDialog(page, 'Create').click();
  await page.getByText(/^Work order \d+ was created\.$/).waitFor();

  await button(page, 'Create a work order').click();
  await dialog.getByText('Existing work orders:').waitFor();
  await visitor.check('work-orders-already');
  await dialog.getByRole('link', { name: 'The picture is another tea' }).click();
  await page.getByRole('heading', { name: 'The picture is another tea', level: 1 }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'items/WRK-1' }).click();
  await page.getByRole('heading', { name: 'WRK-1' }).waitFor();
});

nightly('a work order is processed to its end, and its timeline shows all steps', async () => {
  const { id } = await make('Return of order 12', { body: 'Two of three pieces came back.' });
  const first = await site.enter(`/work-orders/${id}`);
  const { page } = first;
  await page.getByRole('textbox', { name: 'Comment' }).fill('I have asked the customer.');
  await button(page, 'Post comment').click();
  await page.getByText('I have asked the customer.').first().waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('');
  // A comment on an open work order claims it.
  await expect.poll(async () => (await orderNow(id)).status).toBe('claimed');

  await button(page, 'Assign…').click();
  await page.getByRole('dialog').getByRole('combobox', { name: 'User' }).fill('li');
  await page.getByRole('option', { name: /Li · li/ }).click();
  await inDialog(page, 'Assign').click();
  await expect.poll(async () => (await orderNow(id)).holder?.name).toBe('Li');

  const second = await site.enter(`/work-orders/${id}`, li);
  await button(second.page, 'Resolve…').click();
  await inDialog(second.page, 'Resolve').click();
  await second.page.getByText('Describe the result.', { exact: true }).waitFor();
  await second.page.getByRole('dialog').getByRole('textbox', { name: 'Resolution' }).fill('The money went back.');
  await inDialog(second.page, 'Resolve').click();
  await second.page.getByText(`Work order ${id}: resolved.`).waitFor();
  await page.getByRole('heading', { name: 'Resolution' }).waitFor();
  await button(page, 'Close…').click();
  await inDialog(page, 'Close it').click();
  await page.getByText(`Work order ${id}: closed.`).waitFor();
  await button(page, 'Reopen…').click();
  await inDialog(page, 'Reopen').click();
  await expect.poll(async () => await orderNow(id)).toMatchObject({ status: 'open', holder: null });

  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  for (const deed of ['created it', 'claimed it', 'commented', 'assigned it', 'resolved it', 'closed it', 'reopened it']) {
    await timeline.getByText(deed).first().waitFor();
  }
  await first.check('work-orders-timeline');
});
