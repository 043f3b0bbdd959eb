// Proves G4.15, G4.17, G8.2.

import type { Page } from '@playwright/test';
import { itemInStock, type ApiRequest } from './pages';
import { admin } from './service';
import { expect, li, tenantSite, test } from './site';

interface Order {
  id: number;
  etag: string;
  paid: number;
  refundReserved: number;
  refunded: number;
  refundable: number;
}

interface Refund {
  id: number;
  status: string;
  amount: number;
  version: number;
}

/** The requester of refunds that the two admins decide on. */
const ana = { username: 'ana', password: 'gravel-two-lantern' };
let asAna: ApiRequest;

const site = tenantSite(async () => {
  await site.request('POST', '/users', { ...ana, displayName: 'Ana', roles: ['admin'] });
  asAna = await site.as(ana);
  await itemInStock(site.request, { sku: 'REF-1', name: 'Green tea, first flush', price: 10_000 });
  await site.request('POST', '/wallets/ref-12/entries', { amount: 100_000, kind: 'topup', reference: 'opening' });
});

async function placePaid(method: 'external' | 'wallet' = 'external', quantity = 1): Promise<number> {
  const { id, etag } = await site.request<Order>('POST', '/orders', { userId: 'ref-12', items: [{ sku: 'REF-1', quantity }] });
  await site.request('POST', `/orders/${id}/pay`, { method, reference: `PSP-${id}` }, { 'If-Match': etag });
  return id;
}

const orderNow = (id: number) => site.request<Order>('GET', `/orders/${id}`);
const refundsOf = async (id: number) => (await site.request<{ items: Refund[] }>('GET', `/refunds?orderId=${id}`)).items;
const ask = (id: number, body: object, by = asAna) => by<Refund>('POST', `/orders/${id}/refunds`, { reason: 'It arrived open.', ...body });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name, exact: typeof name === 'string' });

/** Fills in the dialog for a refund by amount of the open order. */
async function fillAmount(page: Page, amount: string): Promise<void> {
  await button(page, 'Refund…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Amount' }).click();
  await dialog.getByRole('textbox', { name: 'Amount' }).fill(amount);
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('It arrived open.');
}

test('the loser of two refunds reads the winner and refunds the rest', async () => {
  const id = await placePaid();
  const first = await site.enter(`/orders/${id}`, admin, { withoutStream: true });
  const second = await site.enter(`/orders/${id}`, li);
  await fillAmount(first.page, '60.00');
  await first.page.getByRole('dialog').getByText('¥100.00 is still refundable.').waitFor();
  await fillAmount(second.page, '70.00');
  await inDialog(second.page, 'Request the refund').click();
  await second.page.getByText(/^Refund \d+ of ¥70\.00 was requested\.$/).waitFor();

  await inDialog(first.page, 'Request the refund').click();

  const dialog = first.page.getByRole('dialog');
  await dialog.getByText('Only ¥30.00 is still refundable, so nothing was requested').waitFor();
  await dialog.getByText(/^Li requested ¥70\.00 /).waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('60.00');
  expect(await orderNow(id)).toMatchObject({ refundReserved: 7000, refundable: 3000 });
  await first.check();
  await dialog.getByText('At most ¥30.00.').waitFor();
  await first.shoot('refunds-beyond');
  await dialog.getByRole('button', { name: /^Remaining/ }).click();
  expect(await dialog.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('30.00');
  await inDialog(first.page, 'Request the refund').click();
  await first.page.getByText(/^Refund \d+ of ¥30\.00 was requested\.$/).waitFor();

  expect(await orderNow(id)).toMatchObject({ paid: 10_000, refundReserved: 10_000, refunded: 0, refundable: 0 });
  await expect.poll(() => button(first.page, 'Refund…').count()).toBe(0);
  await first.page.getByRole('region', { name: 'Refunds' }).getByText('¥70.00').waitFor();
  await first.check();
});

test('an open refund dialog shows a new refund by another user', async () => {
  const id = await placePaid();
  const first = await site.enter(`/orders/${id}`);
  await fillAmount(first.page, '60.00');
  await ask(id, { amount: 7000 });
  const dialog = first.page.getByRole('dialog');
  await dialog.getByText(/^Ana requested ¥70\.00 /).waitFor();
  await dialog.getByText('¥30.00 is still refundable.').waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('60.00');
  await first.check();
});

test('the loser of two refund decisions reads the winner and the rest', async () => {
  const order = await placePaid();
  const { id } = await ask(order, { amount: 6000 });
  const first = await site.enter(`/refunds/${id}`, admin, { withoutStream: true });
  const second = await site.enter(`/refunds/${id}`, li);
  await button(first.page, 'Reject…').click();
  await first.page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('It was not open.');
  await button(second.page, 'Approve…').click();
  await second.page
    .getByRole('dialog')
    .getByText(/stays reserved until the provider confirms/)
    .waitFor();
  await second.check();
  await inDialog(second.page, 'Approve').click();
  await second.page.getByText(`Refund ${id}: approved, ¥60.00.`).waitFor();

  await inDialog(first.page, 'Reject').click();

  await first.page.getByText(/^Already approved by Li .*, ¥60\.00$/).waitFor();
  await first.page.getByText('¥40.00 of the order is still refundable.').waitFor();
  await first.page
    .getByText(/Available actions: /)
    .first()
    .waitFor();
  expect(await button(first.page, 'Reject…').count()).toBe(0);
  expect(await refundsOf(order)).toMatchObject([{ status: 'approved', version: 2 }]);
  await first.check('refunds-lost');

  // The provider's result arrives late and settles the outcome.
  await button(second.page, 'Unknown…').click();
  await second.page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('The bank timed out.');
  await inDialog(second.page, 'Mark as unknown').click();
  await second.page.getByText(`Refund ${id}: unknown, ¥60.00.`).waitFor();
  expect(await orderNow(order)).toMatchObject({ refundReserved: 6000, refunded: 0 });
  await button(second.page, 'Settled…').click();
  await second.page.getByRole('dialog').getByRole('textbox', { name: 'Reference' }).fill('@refunds/1');
  await inDialog(second.page, 'Mark as settled').click();
  await second.page.getByText('References that start with @ are reserved for the service.').waitFor();
  await second.page.getByRole('dialog').getByRole('textbox', { name: 'Reference' }).fill('PSP-7');
  await inDialog(second.page, 'Mark as settled').click();
  await second.page.getByText(`Refund ${id}: settled, ¥60.00.`).waitFor();
  expect(await orderNow(order)).toMatchObject({ refundReserved: 0, refunded: 6000, refundable: 4000 });
});

test('a user cannot approve their refund, and another settles it', async () => {
  const order = await placePaid('wallet');
  const before = (await site.request<{ balance: number }>('GET', '/wallets/ref-12')).balance;
  const { id } = await ask(order, { amount: 2500 }, site.request);
  const first = await site.enter(`/refunds/${id}`);
  await first.page.getByText('You requested this refund, so another user has to approve it.').waitFor();
  expect(await button(first.page, 'Approve…').isDisabled()).toBe(true);
  expect(await button(first.page, 'Reject…').isEnabled()).toBe(true);
  await first.check('refunds-own');

  const second = await site.enter(`/refunds?status=requested`, li);
  await second.page.getByRole('link', { name: `Refund ${id}`, exact: true }).click();
  await button(second.page, 'Approve…').click();
  await second.page.getByRole('dialog').getByText('¥25.00 is credited to the wallet of ref-12 immediately.').waitFor();
  await inDialog(second.page, 'Approve').click();
  await second.page.getByText(`Refund ${id}: settled, ¥25.00.`).waitFor();

  await first.page.getByRole('link', { name: `@refunds/${id}` }).waitFor();
  expect((await site.request<{ balance: number }>('GET', '/wallets/ref-12')).balance).toBe(before + 2500);
});

test('refunded units are valued, restocked and shown in later dialogs', async () => {
  const order = await placePaid('wallet', 3);
  const first = await site.enter(`/orders/${order}`);
  const { page } = first;
  const dialog = page.getByRole('dialog');
  await button(page, 'Refund…').click();
  await inDialog(page, 'Request the refund').click();
  await dialog.getByText('Select at least one unit.').waitFor();
  await dialog.getByRole('textbox', { name: 'REF-1: units' }).fill('2');
  await dialog.getByRole('checkbox', { name: 'Return to stock: REF-1' }).check();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Too many.');
  await inDialog(page, 'Request the refund').click();
  await page.getByText(/^Refund \d+ of ¥200\.00 was requested\.$/).waitFor();
  const [refund] = await refundsOf(order);
  expect(refund).toMatchObject({ amount: 20_000, lines: [{ sku: 'REF-1', quantity: 2, restock: true, worth: 20_000 }] });

  await button(page, 'Refund…').click();
  await dialog.getByText('Green tea, first flush · of 3, 2 already in refunds').waitFor();
  await dialog.getByRole('textbox', { name: 'REF-1: units' }).fill('2');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Too many.');
  await inDialog(page, 'Request the refund').click();
  await dialog.locator('[aria-invalid=true]').first().waitFor();
  expect(await refundsOf(order)).toHaveLength(1);
  await first.check('refunds-pieces');

  const stock = async () => (await site.request<{ available: number }>('GET', '/inventory/REF-1')).available;
  const before = await stock();
  await site.asLi('POST', `/refunds/${refund?.id ?? 0}/approve`, {});
  expect(await stock()).toBe(before + 2);
  // The timeline of the order links to the refund and shows its money and units.
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await timeline.getByText('refunded it').waitFor();
  await timeline.getByText(/2 returned/).waitFor();
  await timeline.getByRole('link', { name: '+¥200.00' }).waitFor();
  await timeline
    .getByRole('link', { name: `Refund ${refund?.id ?? 0}` })
    .first()
    .click();
  await page.getByRole('heading', { name: `Refund ${refund?.id ?? 0}` }).waitFor();
});

test('a refund with a lost reply is requested once', async () => {
  const order = await placePaid();
  const first = await site.enter(`/orders/${order}`);
  const { page } = first;
  let lost = 0;
  await page.route(`**/api/v1/orders/${order}/refunds`, async (route) => {
    if (lost++ > 0) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await fillAmount(page, '60.00');
  await inDialog(page, 'Request the refund').click();
  await page.getByText(/^Refund \d+ of ¥60\.00 was requested\.$/).waitFor();
  expect(lost).toBe(2);
  expect(await refundsOf(order)).toHaveLength(1);
  expect(await orderNow(order)).toMatchObject({ refundReserved: 6000 });
});

test('the requester sees a proposed refund settle after its approval', async () => {
  const settings = await site.request<{ etag: string }>('GET', '/settings');
  await site.request('PATCH', '/settings?bypass=Before%20the%20test', { refundApprovalThreshold: 29_999 }, { 'If-Match': settings.etag });
  const order = await placePaid('wallet', 3);
  const balance = async () => (await site.request<{ balance: number }>('GET', '/wallets/ref-12')).balance;
  const before = await balance();
  const first = await site.enter(`/orders/${order}`, ana);
  await fillAmount(first.page, '300.00');
  await inDialog(first.page, 'Request the refund').click();
  await first.page.getByText(/^Refund \d+ of ¥300\.00 was requested\.$/).waitFor();
  const [{ id } = { id: 0 }] = await refundsOf(order);
  await first.visit(`/refunds/${id}`);
  await first.page.getByText('You requested this refund, so another user has to approve it.').waitFor();

  const second = await site.enter(`/refunds/${id}`, li);
  await second.page.getByText('Approving it needs 1 vote of another user, since the amount exceeds the limit for a single approver.').waitFor();
  await button(second.page, 'Approve…').click();
  const dialog = second.page.getByRole('dialog');
  await dialog.getByText(/^This proposes the approval\. The refund needs 1 more approver/).waitFor();
  expect(await dialog.getByText(/is credited to the wallet/).count()).toBe(0);
  await second.inspect('refunds-proposes');
  await inDialog(second.page, 'Propose').click();
  await second.page.getByText('Proposed, not applied: 1 vote is missing.').first().waitFor();
  await first.page.getByText(/proposed a change .*; 1 vote is missing\./).waitFor();
  expect(await balance()).toBe(before);
  await button(second.page, 'Show the approval').click();
  await second.page.getByText('You are the author, so other users have to vote.').waitFor();
  expect(await button(second.page, 'Approve').count()).toBe(0);

  const third = await site.enter('/approvals?view=toDecide');
  await third.page
    .getByRole('link', { name: /^Approval \d+$/ })
    .first()
    .click();
  // The voter sees the amount, the customer and the reason.
  const sides = third.page.getByRole('group', { name: `refunds/${id}` });
  await sides.getByText('Settled', { exact: true }).waitFor();
  for (const fact of ['¥300.00', 'ref-12', 'To the wallet', 'It arrived open.', 'Ana']) {
    await third.page.getByRole('main').getByText(fact, { exact: true }).first().waitFor();
  }
  await third.check('refunds-vote');
  await button(third.page, 'Approve').click();
  await inDialog(third.page, 'Approve').click();
  await third.page.getByText('Approved, and the change was made.').waitFor();

  // Neither page was reloaded.
  await first.page.getByText('Settled', { exact: true }).first().waitFor();
  await first.page.getByRole('link', { name: `@refunds/${id}` }).waitFor();
  await expect.poll(() => first.page.getByText(/proposed a change .*; 1 vote is missing\./).count()).toBe(0);
  await second.page.getByText('Approved', { exact: true }).first().waitFor();
  await first.check();
  expect(await balance()).toBe(before + 30_000);
  expect(await orderNow(order)).toMatchObject({ paid: 30_000, refunded: 30_000, refundReserved: 0, refundable: 0 });
  for (const visitor of [first, second, third]) await visitor.close();
});
