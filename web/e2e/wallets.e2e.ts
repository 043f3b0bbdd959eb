import type { Visitor } from './browser';
import { expect, tenantSite, test } from './site';

const site = tenantSite();

const balanceOf = async (user: number) => (await site.request<{ balance: number }>('GET', `/wallets/${user}`)).balance;
const topUp = (user: number, amount: number) => site.request('POST', `/wallets/${user}/entries`, { amount, kind: 'topup', reference: 'opening' });
const dialogOf = (visitor: Visitor) => visitor.page.getByRole('dialog');

async function openDebit(visitor: Visitor, amount: string): Promise<void> {
  await visitor.page.getByRole('button', { name: 'Credit or debit' }).click();
  await dialogOf(visitor).getByText('Debit', { exact: true }).click();
  await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).fill(amount);
}

test('the loser of two debits reads the winner and the balance', async () => {
  await topUp(21, 5000);
  const [first, second] = await site.two('/wallets/21');
  await openDebit(first, '40.00');
  await openDebit(second, '30.00');
  await dialogOf(second).getByRole('button', { name: 'Debit' }).click();
  await second.page.getByText('Entry of -¥30.00 created. The balance is ¥20.00.').waitFor();

  await dialogOf(first).getByRole('button', { name: 'Debit' }).click();

  await dialogOf(first).getByText('The wallet of user 21 has ¥20.00, but ¥40.00 is needed.').waitFor();
  await dialogOf(first)
    .getByText(/Li changed it last/)
    .waitFor();
  expect(await balanceOf(21)).toBe(2000);
  await first.check('wallets-lost');
  await dialogOf(first).getByRole('button', { name: 'Use ¥20.00 instead' }).click();
  await dialogOf(first).getByRole('button', { name: 'Debit' }).click();
  await first.page.getByText('Entry of -¥20.00 created. The balance is ¥0.00.').waitFor();
  expect(await balanceOf(21)).toBe(0);
});

test('a transfer shows new balances only after the reply', async () => {
  await topUp(31, 5000);
  const visitor = await site.enter('/wallets/31');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Transfer' }).click();
  await dialogOf(visitor).getByRole('textbox', { name: 'To user' }).fill('32');
  await dialogOf(visitor).getByRole('textbox', { name: 'Amount' }).fill('12.00');
  await dialogOf(visitor).getByText('then ¥38.00').waitFor();
  await dialogOf(visitor).getByText('then ¥12.00').waitFor();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/wallet-transfers', async (route) => {
    await held;
    await route.continue();
  });

  const sending = page.waitForRequest('**/wallet-transfers');
  await dialogOf(visitor).getByRole('button', { name: 'Transfer' }).click();
  await sending;

  const balance = page.getByRole('region', { name: 'Balance' });
  await dialogOf(visitor).locator('button[data-loading]').waitFor();
  expect(await balance.innerText()).toContain('¥50.00');
  release();
  await page.getByText('¥12.00 transferred from user 31 to user 32.').waitFor();
  await balance.getByText('¥38.00').waitFor();
  expect(await balanceOf(31)).toBe(3800);
  expect(await balanceOf(32)).toBe(1200);
  await visitor.check();
});

test('a double click debits once', async () => {
  await topUp(41, 5000);
  const visitor = await site.enter('/wallets/41');
  await openDebit(visitor, '10.00');
  await dialogOf(visitor).getByRole('button', { name: 'Debit' }).dblclick();
  await visitor.page.getByText('Entry of -¥10.00 created. The balance is ¥40.00.').waitFor();
  expect(await balanceOf(41)).toBe(4000);
});

test('entries by other users appear live', async () => {
  await topUp(51, 5000);
  const visitor = await site.enter('/wallets/51');
  await site.request('POST', '/wallets/51/entries', { amount: 250, kind: 'goodwill', reference: 'goodwill-1' });
  await visitor.page.getByRole('region', { name: 'Balance' }).getByText('¥52.50').waitFor();
  await visitor.page.getByText('goodwill-1').waitFor();
});

test('a key is found with its user and number of replays', async () => {
  const headers = { 'X-Idempotency-Key': 'support-case-4711' };
  const body = { amount: 500, kind: 'topup', reference: 'case-4711' };
  for (let i = 0; i < 3; i++) await site.request('POST', '/wallets/61/entries', body, headers);
  const visitor = await site.enter('/idempotency-keys');
  const { page } = visitor;
  await page.getByRole('searchbox', { name: 'Complete key' }).fill('support-case-4711');
  await page.waitForURL(/key=support-case-4711/);
  await page.getByText('POST /api/v1/wallets/61/entries').click();
  await page.getByText('Replayed 2 times').waitFor();
  await visitor.check();
  await page.getByRole('dialog').getByRole('link', { name: 'wallets/61' }).click();
  await page.getByRole('heading', { level: 1, name: 'Wallet of user 61' }).waitFor();
});
