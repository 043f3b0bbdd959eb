import { createHmac } from 'node:crypto';
import type { Visitor } from './browser';
import { expect, li, nightly, tenantSite, test } from './site';

const site = tenantSite();

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const period = 30_000;

/** The code of an authenticator app for a secret and a time (RFC 6238). */
function codeAt(secret: string, time: number): string {
  const bits = Array.from(secret)
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / period)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const field = ({ page }: Visitor, name: string) => page.getByRole('textbox', { name, exact: true });
const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name, exact: true });

async function signOut({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.locator('input[name=password]').waitFor();
}

/** Enters the password, and waits for the second factor form. */
async function givePassword(visitor: Visitor): Promise<void> {
  await visitor.page.locator('input[name=username]').fill(li.username);
  await visitor.page.locator('input[name=password]').fill(li.password);
  await button(visitor, 'Sign in').click();
  await field(visitor, 'Code from your authenticator app').waitFor();
}

/** Starts the first factor, which requires the password. */
async function beginWithPassword({ page }: Visitor): Promise<void> {
  const password = page.getByRole('dialog').locator('input[autocomplete=current-password]');
  await page.keyboard.press('Enter');
  await page.getByText('Enter your password.').waitFor();
  await password.fill('not this one');
  await password.press('Enter');
  await page.getByText('This is not your password.').waitFor();
  await password.fill(li.password);
  await password.press('Enter');
}

test('a second factor is set up, requested, recovered and reset', async () => {
  const visitor = await site.enter('/account', li);
  const { page } = visitor;
  await page.getByText('Only your password protects your account').waitFor();
  await button(visitor, 'Set up an app').click();
  await beginWithPassword(visitor);
  const secret = (await page.getByRole('group', { name: 'Secret', exact: true }).locator('.mono').textContent()) ?? '';
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await visitor.inspect('factor-set-up');
  await field(visitor, 'The code that the app shows now').fill('nothing');
  await button(visitor, 'Confirm').click();
  await page.getByText(/^This is not the current code/).waitFor();
  const enrolled = Date.now();
  await field(visitor, 'The code that the app shows now').fill(codeAt(secret, enrolled));
  await button(visitor, 'Confirm').click();
  await button(visitor, 'I have stored the codes').waitFor();
  const codes = await page.getByRole('group', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  await visitor.inspect('factor-recovery-codes');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the codes' }).click();
  expect((await download).suggestedFilename()).toBe('interlock-recovery-codes.txt');
  await button(visitor, 'I have stored the codes').click();
  await page.getByText('Recovery codes left: 10').waitFor();
  await visitor.inspect('factor-list');

  await signOut(visitor);
  await givePassword(visitor);
  await visitor.inspect('factor-sign-in');
  await field(visitor, 'Code from your authenticator app').fill('000000');
  await button(visitor, 'Continue').click();
  await page.getByText(/^The code is wrong/).waitFor();
  expect(await field(visitor, 'Code from your authenticator app').inputValue()).toBe('000000');
  await button(visitor, 'Back to the password').click();
  await givePassword(visitor);
  // By keyboard. The code of the next period is accepted; the code used in the setup is not.
  await page.locator('input[name=code]:focus').waitFor();
  await page.keyboard.type(codeAt(secret, enrolled + period));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'My account' }).waitFor();

  await signOut(visitor);
  await givePassword(visitor);
  await button(visitor, 'Use a recovery code').click();
  await field(visitor, 'Recovery code').fill((codes[0] ?? '').toUpperCase());
  await button(visitor, 'Continue').click();
  await page.getByText('Recovery codes left: 9').waitFor();

  const { items } = await site.request<{ items: { id: number; secondFactor: boolean }[] }>('GET', `/users?q=${li.username}`);
  expect(items[0]?.secondFactor).toBe(true);
  const admins = await site.enter(`/users/${items[0]?.id ?? 0}`);
  await button(admins, 'Reset second factors').click();
  await admins.page.getByRole('dialog').getByRole('button', { name: 'Reset second factors' }).click();
  await admins.page.getByText('“li” has no second factor now.').waitFor();
  await admins.page.getByText('reset the second factors').first().waitFor();
  const gate = page.getByRole('dialog', { name: 'Your session has ended' });
  await page.reload();
  await visitor.fillIn(li);
  await page.getByText('Only your password protects your account').waitFor();
  expect(await gate.count()).toBe(0);
});

nightly('a step-up action waits for the factor and reports a cancellation', async () => {
  const visitor = await site.enter('/account', li);
  const { page } = visitor;
  await button(visitor, 'Set up an app').click();
  await beginWithPassword(visitor);
  const secret = (await page.getByRole('group', { name: 'Secret', exact: true }).locator('.mono').textContent()) ?? '';
  const enrolled = Date.now();
  await field(visitor, 'The code that the app shows now').fill(codeAt(secret, enrolled));
  await button(visitor, 'Confirm').click();
  await button(visitor, 'I have stored the codes').waitFor();
  const codes = await page.getByRole('group', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
  await button(visitor, 'I have stored the codes').click();

  // The session started without the factor, so the action requires it.
  const stepUp = page.getByRole('dialog', { name: 'Verify your second factor' });
  await page.getByRole('link', { name: 'Show my tokens' }).click();
  await button(visitor, 'New token').first().click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.getByLabel('Name').fill('till');
  await dialog.getByRole('radio', { name: 'All my permissions, including future ones' }).check();
  await dialog.getByRole('button', { name: 'Create the token' }).click();
  await stepUp.waitFor();
  await visitor.inspect('factor-step-up');
  await stepUp.getByRole('button', { name: 'Cancel' }).click();
  await stepUp.waitFor({ state: 'hidden' });
  await dialog.getByText(/Nothing was done/).waitFor();
  const tokens = () => site.request<{ total: number }>('GET', '/tokens?q=till');
  expect(await tokens()).toMatchObject({ total: 0 });

  await dialog.getByRole('button', { name: 'Create the token' }).click();
  await stepUp.locator('input:focus').waitFor();
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await stepUp.getByText(/^The code is wrong/).waitFor();
  await page.keyboard.type(codeAt(secret, enrolled + period));
  await page.keyboard.press('Enter');
  await page.locator('[data-secret]').waitFor();
  await button(visitor, 'I have stored the token').click();
  expect(await tokens()).toMatchObject({ total: 1 });

  // The step-up stays valid for a while, and the stream continues in the renewed session.
  await page.goto('/account');
  await button(visitor, 'New recovery codes').click();
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click();
  await button(visitor, 'I have stored the codes').waitFor();
  const fresh = await page.getByRole('group', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
  expect(fresh).not.toEqual(codes);
  await button(visitor, 'I have stored the codes').click();

  await visitor.context.clearCookies();
  await page.goto('/audit-log');
  await givePassword(visitor);
  await button(visitor, 'Use a recovery code').click();
  await field(visitor, 'Recovery code').fill(fresh[0] ?? '');
  await button(visitor, 'Continue').click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await visitor.settle();
  await visitor.context.clearCookies();
  await page.getByPlaceholder('Who').fill('li');
  const gate = page.getByRole('dialog', { name: 'Your session has ended' });
  await gate.locator('input[name=password]').fill(li.password);
  await gate.getByRole('button', { name: 'Sign in', exact: true }).click();
  await gate.getByRole('button', { name: 'Use a recovery code' }).click();
  await gate.getByRole('textbox', { name: 'Recovery code' }).fill(fresh[1] ?? '');
  await gate.getByRole('button', { name: 'Continue' }).click();
  await gate.waitFor({ state: 'hidden' });
  expect(await page.getByPlaceholder('Who').inputValue()).toBe('li');
});
