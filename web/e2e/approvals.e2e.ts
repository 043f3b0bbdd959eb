// Proves G8.2.

import type { Page } from '@playwright/test';
import { expect, li, nightly, tenantSite, test } from './site';

interface Config {
  value: unknown;
  remark: string;
  version: number;
  etag: string;
  protected: boolean;
}

const site = tenantSite();

const stored = (key: string) => site.request<Config>('GET', `/configs/${key}`);
const create = (key: string, value: number) => site.request('POST', '/configs', { key, value, valueType: 'number', remark: 'as it was', protected: true });
const proposed = async (key: string, patch: unknown, by = site.request) =>
  by<{ id: number; etag: string }>('PATCH', `/configs/${key}`, patch, { 'If-Match': (await stored(key)).etag });
const waitingFor = async (key: string) =>
  (await site.request<{ items: { id: number }[] }>('GET', `/approvals?resource=configs/${key}&status=pending`)).items.map(({ id }) => id);

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const proposedToast = (page: Page) => page.getByText('Proposed, not applied: 1 vote is missing.').first();
const noDraft = async (page: Page) => expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('configs/')))).toEqual([]);

test('a proposed and an approved change appear in both browsers', async () => {
  await create('gate.tax', 0.19);
  const first = await site.enter('/configs/gate.tax');
  const second = await site.enter('/approvals?view=toDecide', li);
  const { page } = first;
  await page.getByText('Protected: changes need 1 approval.').waitFor();
  await page.getByRole('textbox', { name: 'Value', exact: true }).fill('0.2100');
  await page.getByText('This proposes a change to v1. It is applied after approval.').waitFor();
  await first.check();
  await button(page, 'Propose').click();

  await proposedToast(page).waitFor();
  await page.getByText('No changes.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Value', exact: true }).inputValue()).toBe('0.19');
  expect(await page.getByText(/^Saved/).count()).toBe(0);
  expect(await stored('gate.tax')).toMatchObject({ value: 0.19, version: 1 });
  await noDraft(page);
  await page.getByText(/proposed a change .*; 1 vote is missing\./).waitFor();
  await first.check('approvals-config');
  await button(page, 'Show the approval').click();
  await page.getByRole('heading', { name: /^Raise gate\.tax from 0\.19 to 0\.2\d*$/ }).waitFor();
  await page.getByText('You are the author, so other users have to vote.').waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);

  const [id = 0] = await waitingFor('gate.tax');
  await second.page.getByRole('link', { name: `Approval ${id}`, exact: true }).click();
  const sides = second.page.getByRole('group', { name: 'configs/gate.tax' });
  await sides.getByText('0.2100').waitFor();
  await sides.getByText('0.19', { exact: true }).waitFor();
  await second.check('approvals-decide');
  await button(second.page, 'Approve').click();
  await second.page.getByText('With your vote the change is complete and takes effect immediately.').waitFor();
  await confirm(second.page, 'Approve');

  await second.page.getByText('Approved, and the change was made.').waitFor();
  await page.getByText('Approved', { exact: true }).first().waitFor();
  expect(await stored('gate.tax')).toMatchObject({ value: 0.21, version: 2 });
});

test('a stale approval is reported live, and can be rebased', async () => {
  await create('gate.stale', 1);
  const { id } = await proposed('gate.stale', { value: 2 });
  const other = await proposed('gate.stale', { remark: 'agreed on Monday' });
  const first = await site.enter(`/approvals/${id}`);
  const second = await site.enter(`/approvals/${id}`, li);
  await button(second.page, 'Approve').click();
  await site.asLi('POST', `/approvals/${other.id}/approve`, {}, { 'If-Match': other.etag });
  await first.page.getByText(/^Li changed the record ./).waitFor();
  const inbox = first.page.getByRole('navigation').getByRole('link', { name: /^Approvals/ });
  await inbox.getByText('1', { exact: true }).waitFor();
  await confirm(second.page, 'Approve');

  await second.page.getByText(/^You, in another session changed the record ./).waitFor();
  expect(await stored('gate.stale')).toMatchObject({ value: 1, remark: 'agreed on Monday' });
  await first.page.getByRole('table', { name: 'configs/gate.stale' }).getByText('agreed on Monday').waitFor();
  await first.check('approvals-stale');
  await button(first.page, 'Rebase').click();
  await first.page.getByText('Rebased onto the latest version; voting starts again.').waitFor();
  await button(second.page, 'Approve').click();
  await confirm(second.page, 'Approve');
  await second.page.getByText('Approved, and the change was made.').waitFor();
  expect(await stored('gate.stale')).toMatchObject({ value: 2, remark: 'agreed on Monday' });
});

test('a second decision changes nothing and names the first', async () => {
  await create('gate.race', 1);
  const { id, etag } = await proposed('gate.race', { value: 2 });
  const second = await site.enter(`/approvals/${id}`, li);
  await button(second.page, 'Reject…').click();
  await second.page.getByRole('dialog').getByLabel('Reason').fill('Too early');
  await site.request('POST', `/approvals/${id}/withdraw`, {}, { 'If-Match': etag });
  await confirm(second.page, 'Reject');

  await second.page.getByText(/^Already withdrawn by .+/).waitFor();
  expect(await stored('gate.race')).toMatchObject({ value: 1, version: 1 });
  await second.check();
});

nightly('protected deletions, rollbacks, bulk edits and imports are only proposed', async () => {
  await site.request('POST', '/configs', { key: 'all.ways', value: 1, valueType: 'number', remark: 'as it was' });
  await site.request('PATCH', '/configs/all.ways', { value: 2 }, { 'If-Match': (await stored('all.ways')).etag });
  const first = await site.enter('/configs/all.ways');
  const { page } = first;
  const version = async () => (await stored('all.ways')).version;

  await page.getByRole('switch', { name: 'Protected' }).click({ force: true });
  await button(page, /^Save · v3/).click();
  await page.getByText('Saved as v3.').waitFor();
  expect(await stored('all.ways')).toMatchObject({ protected: true, version: 3 });
  await page.getByText('Protected: changes need 1 approval.').waitFor();
  // The undo of the protection would remove it.
  await button(page, 'Undo').click();
  await proposedToast(page).waitFor();
  expect(await waitingFor('all.ways')).toHaveLength(1);

  await button(page, 'Delete…').click();
  await confirm(page, 'Propose');
  await expect.poll(() => waitingFor('all.ways')).toHaveLength(2);
  await proposedToast(page).waitFor();
  expect(await page.getByText('all.ways was deleted.').count()).toBe(0);

  await first.visit('/configs/all.ways?tab=history');
  await page.getByRole('button', { name: 'Roll back to v1' }).click();
  await confirm(page, 'Propose');
  await proposedToast(page).waitFor();
  await expect.poll(() => waitingFor('all.ways')).toHaveLength(3);
  expect(await page.getByText(/^Rolled back/).count()).toBe(0);

  await first.visit('/configs?prefix=all.ways');
  await page.getByRole('checkbox', { name: 'all.ways' }).click();
  await button(page, 'Change or delete…').click();
  await page.getByRole('dialog').getByText('Set the remark', { exact: true }).click();
  await page.getByRole('textbox', { name: 'New remark' }).fill('changed together');
  await page.getByRole('dialog').locator('button[type=submit]').click();
  await page.getByRole('dialog').getByText('Proposed, not applied: 1 vote is missing.').waitFor();
  expect(
    await page
      .getByRole('dialog')
      .getByText(/remark of 1 config was set/)
      .count(),
  ).toBe(0);
  await first.check('approvals-bulk');
  await expect.poll(() => waitingFor('all.ways')).toHaveLength(4);

  await first.visit('/configs');
  await button(page, 'Import').click();
  const file = { configs: [{ key: 'all.ways', value: 9, valueType: 'number', remark: 'imported' }] };
  await page.locator('input[type=file]').setInputFiles({ name: 'all.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(file)) });
  await page.getByRole('dialog').locator('button[type=submit]').click();
  await page.getByRole('dialog').getByText('Proposed, not applied: 1 vote is missing.').waitFor();
  await first.check();
  await expect.poll(() => waitingFor('all.ways')).toHaveLength(5);

  expect(await version()).toBe(3);
  expect(await stored('all.ways')).toMatchObject({ value: 2, remark: 'as it was', protected: true });
});

nightly('a bypass applies the change and waits for another user’s review', async () => {
  await create('gate.bypass', 1);
  const { id } = await proposed('gate.bypass', { value: 2 });
  const first = await site.enter(`/approvals/${id}`);
  await button(first.page, 'Bypass…').click();
  await first.page.getByRole('dialog').getByLabel('Reason').fill('The shop is down');
  await confirm(first.page, 'Bypass the votes');
  await first.page.getByText('The change was made without votes. Another user has to review it.').waitFor();
  expect(await stored('gate.bypass')).toMatchObject({ value: 2 });
  expect(await button(first.page, 'Mark as reviewed').count()).toBe(0);
  const second = await site.enter('/approvals?view=toReview', li);
  await second.page.getByRole('link', { name: `Approval ${id}`, exact: true }).click();
  await second.page.getByText('The shop is down').waitFor();
  await button(second.page, 'Mark as reviewed').click();
  await second.page.getByText('Marked as reviewed.').waitFor();
});

test('the author can propose a different change instead', async () => {
  await create('gate.edit', 1);
  const { id } = await proposed('gate.edit', { value: 2 });
  const first = await site.enter(`/approvals/${id}`);
  await button(first.page, 'Edit…').click();
  await first.page.getByLabel('Change, as a JSON merge patch').fill('{"value": 3.50');
  await button(first.page, 'Replace the proposal').click();
  await first.page.getByText('The patch must be a JSON object.').waitFor();
  await first.page.getByLabel('Change, as a JSON merge patch').fill('{"value": 3.50}');
  await button(first.page, 'Replace the proposal').click();
  await first.page.getByText(`The proposal of approval ${id} was replaced; voting starts again.`).waitFor();
  await first.page.getByRole('group', { name: 'configs/gate.edit' }).getByText('3.50').waitFor();
});

nightly('comments on an approval appear in both browsers, and drafts survive a reload', async () => {
  await create('gate.talk', 1);
  const { id } = await proposed('gate.talk', { value: 2 });
  const first = await site.enter(`/approvals/${id}`);
  const second = await site.enter(`/approvals/${id}`, li);
  const box = (page: Page) => page.getByRole('textbox', { name: 'Comment' });
  const said = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });
  const commentDrafts = (page: Page) => page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('/comment')));
  expect(await button(second.page, 'Post comment').isDisabled()).toBe(true);
  await box(second.page).fill('Why two?');
  await button(second.page, 'Post comment').click();
  await second.page.getByText('Comment posted.').waitFor();
  await said(first.page, 'Why two?').getByText('Li', { exact: true }).waitFor();

  await box(first.page).fill('Because the law says so from');
  await first.visit(`/approvals/${id}`);
  await first.page.getByText(/^Restored from your draft of .+/).waitFor();
  expect(await box(first.page).inputValue()).toBe('Because the law says so from');
  await first.check('approvals-comment');
  await box(first.page).fill('Because the law says so from Monday.');
  await button(first.page, 'Post comment').click();
  await said(second.page, 'Because the law says so from Monday.').waitFor();
  await expect.poll(() => box(first.page).inputValue()).toBe('');
  expect(await commentDrafts(first.page)).toEqual([]);
  await first.visit(`/approvals/${id}`);
  expect(await box(first.page).inputValue()).toBe('');
  expect(await said(first.page, 'Because the law says so from Monday.').count()).toBe(1);

  // The voter sees the reply before the vote, and the history shows the right voter.
  await button(second.page, 'Approve').click();
  await confirm(second.page, 'Approve');
  await first.page.getByText('Approved', { exact: true }).first().waitFor();
  expect(await stored('gate.talk')).toMatchObject({ value: 2 });
  await second.check();
});

test('a retried comment with a lost reply is added once', async () => {
  await create('gate.lost', 1);
  const { id } = await proposed('gate.lost', { value: 2 });
  const second = await site.enter(`/approvals/${id}`, li);
  let lost = 0;
  await second.page.route(`**/api/v1/approvals/${id}/comments`, async (route) => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await second.page.getByRole('textbox', { name: 'Comment' }).fill('Once is enough.');
  await button(second.page, 'Post comment').click();
  await second.page.getByText('Comment posted.').waitFor();
  expect(lost).toBe(2);
  const { items } = await site.request<{ items: { text: string }[] }>('GET', `/approvals/${id}/comments`);
  expect(items.map(({ text }) => text)).toEqual(['Once is enough.']);
});

test('an entry above the threshold waits for votes and shows comments', async () => {
  const settings = await site.request<{ etag: string }>('GET', '/settings');
  await site.request('PATCH', '/settings?bypass=Before%20the%20test', { walletApprovalThreshold: 10_000 }, { 'If-Match': settings.etag });
  const user = 'gate/li@100';
  const balance = async () => (await site.request<{ balance: number }>('GET', `/wallets/${encodeURIComponent(user)}`)).balance;
  const first = await site.enter(`/wallets/${encodeURIComponent(user)}`);
  const { page } = first;
  const dialog = page.getByRole('dialog');
  await button(page, 'Credit or debit').click();
  await dialog.getByRole('textbox', { name: 'Purpose' }).fill('deposit');
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('100.00');
  await dialog.getByRole('button', { name: 'Credit', exact: true }).waitFor();
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('100.01');
  await dialog.getByText('An entry above ¥100.00 needs 1 approval. This proposes it; no money moves before that.').waitFor();
  await first.inspect('wallets-proposes');
  await dialog.getByRole('button', { name: 'Propose', exact: true }).waitFor();
  await dialog.locator('button[type=submit]').click();
  await proposedToast(page).waitFor();
  await page.getByText(/proposed a change .*; 1 vote is missing\./).waitFor();
  expect(await balance()).toBe(0);
  await first.check();

  const second = await site.enter('/approvals?view=toDecide', li);
  await second.page
    .getByRole('link', { name: /^Approval \d+$/ })
    .first()
    .click();
  await second.page.getByRole('textbox', { name: 'Comment' }).fill('Who is it for?');
  await button(second.page, 'Post comment').click();
  await second.page.getByText('Comment posted.').waitFor();
  await page.getByRole('link', { name: 'Show the approval' }).first().click();
  await page.getByText('Who is it for?').first().waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);
  await second.check();
  // The requester watches the wallet during the last vote.
  await first.visit(`/wallets/${encodeURIComponent(user)}`);
  await page.getByText(/proposed a change .*; 1 vote is missing\./).waitFor();
  await button(second.page, 'Approve').click();
  await confirm(second.page, 'Approve');
  await second.page.getByText('Approved, and the change was made.').waitFor();
  await page.getByText('¥100.01').first().waitFor();
  await expect.poll(() => page.getByText(/proposed a change .*; 1 vote is missing\./).count()).toBe(0);
  await first.check();
  expect(await balance()).toBe(10_001);
  await second.page
    .getByRole('link', { name: /^wallets\// })
    .first()
    .click();
  await second.page.getByRole('heading', { level: 1, name: `Wallet of user ${user}` }).waitFor();
  await second.page.getByText('¥100.01').first().waitFor();
});
