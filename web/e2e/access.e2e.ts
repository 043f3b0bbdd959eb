// Proves G3.4.

import type { Visitor } from './browser';
import { expect, nightly, tenantSite, test } from './site';

interface Role {
  id: number;
  etag: string;
  version: number;
  name: string;
  permissions: string[];
}

interface User {
  id: number;
  etag: string;
  version: number;
  username: string;
  displayName: string;
  roles: string[];
  disabled: boolean;
}

const password = 'a long enough password';
const site = tenantSite();

const makeRole = (name: string, permissions: string[]) => site.request<Role>('POST', '/roles', { name, permissions });
const makeUser = (username: string, roles: string[]) => site.request<User>('POST', '/users', { username, password, roles });
const roleNow = (id: number) => site.request<Role>('GET', `/roles/${id}`);
const userNow = (id: number) => site.request<User>('GET', `/users/${id}`);
const field = ({ page }: Visitor, name: string) => page.getByRole('textbox', { name, exact: true });
const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialogButton = ({ page }: Visitor, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const box = ({ page }: Visitor, name: string) => page.getByRole('checkbox', { name, exact: true });
const withPassword = ({ page }: Visitor) => page.getByRole('radio', { name: 'With a password that you set' });
/** The complete storage of the browser. */
const storedBy = ({ page }: Visitor) => page.evaluate(() => JSON.stringify([localStorage, sessionStorage].map((kept) => Object.entries(kept))));
/** The status of an API call with a token. */
const statusFor = async (token: string, path: string) =>
  (await fetch(`${site.address}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })).status;

test('edits of one role merge, except of the same permission', async () => {
  const { id } = await makeRole('front desk', ['orders:read']);
  const [first, second] = await site.two(`/roles/${id}`);
  await first.page.getByText(/^Also here: Li/).waitFor();
  await box(first, 'coupons:read').check();
  await box(second, 'items:read').check();
  await first.page.getByText('Also here: Li (on permission items:read)').waitFor();
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await roleNow(id)).version).toBe(2);
  await first.page.getByText(/^Changed: permission items:read/).waitFor();

  await button(first, /^Save · v/).click();

  await first.page.getByText('Saved and merged with Li’s change to permission items:read.').waitFor();
  expect(await roleNow(id)).toMatchObject({ version: 3, permissions: ['coupons:read', 'items:read', 'orders:read'] });
  await second.page.getByText(/saved v3 .*; this page is up to date/).waitFor();

  await box(first, 'wallets:read').check();
  await box(first, 'audit:read').check();
  await box(second, 'wallets:read').check();
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await roleNow(id)).version).toBe(4);
  await button(first, /^Save · v/).click();
  const contested = first.page.getByRole('group', { name: 'permission wallets:read' });
  await contested.getByText('both entered the same value').waitFor();
  expect((await roleNow(id)).version).toBe(4);
  await first.check('role-contested');
  await contested.getByRole('button', { name: 'Keep yours for permission wallets:read' }).click();
  await button(first, 'Save merged · v5').click();

  await expect.poll(async () => (await roleNow(id)).permissions).toEqual(['audit:read', 'coupons:read', 'items:read', 'orders:read', 'wallets:read']);
});

test('disabling a user signs them out of their browser', async () => {
  await makeRole('watcher', ['orders:read', 'users:read']);
  const visitor = await site.enter('/users');
  const { page } = visitor;
  await button(visitor, 'New user').first().click();
  await withPassword(visitor).check();
  await page.getByText(/^At least 12 characters/).waitFor();
  await field(visitor, 'Username').fill('wang');
  await field(visitor, 'Display name').fill('Wang');
  await box(visitor, 'watcher').check();
  await page.getByRole('dialog').locator('input[autocomplete=new-password]').fill('short');
  await dialogButton(visitor, 'Create the user').click();
  await page.getByText('Enter at least 12 characters; this has 5.').waitFor();
  await page.reload();
  // The draft contains all inputs except the password.
  await button(visitor, 'New user').first().click();
  expect(await field(visitor, 'Username').inputValue()).toBe('wang');
  expect(await storedBy(visitor)).not.toContain('short');
  await page.getByRole('dialog').locator('input[autocomplete=new-password]').fill(password);
  await dialogButton(visitor, 'Create the user').click();
  await page.getByRole('heading', { level: 1, name: 'Wang' }).waitFor();
  expect(await storedBy(visitor)).not.toContain(password);
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));

  const theirs = await site.open();
  await theirs.signIn({ username: 'wang', password }, `/users/${id}`);
  await theirs.page.getByText(/Read-only: changes need the permission/).waitFor();
  await theirs.page.getByText('watcher').first().waitFor();
  await button(visitor, 'Disable').click();
  await page.getByText(/Within a second, on every server, active sessions/).waitFor();
  await dialogButton(visitor, 'Disable').click();

  await page.getByText('“wang” was disabled.').waitFor();
  await theirs.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  expect(await userNow(id)).toMatchObject({ disabled: true, version: 2 });
  await page.getByText('disabled the user').waitFor();
  await visitor.check();
  await button(visitor, 'Enable').click();
  await dialogButton(visitor, 'Enable').click();
  await page.getByText('“wang” can sign in again.').waitFor();
  expect((await userNow(id)).disabled).toBe(false);
});

nightly('an invited user sets a password once and is signed in', async () => {
  const visitor = await site.enter('/users');
  const { page } = visitor;
  await button(visitor, 'New user').first().click();
  await field(visitor, 'Username').fill('newcomer');
  await field(visitor, 'Display name').fill('Sun Qi');
  await dialogButton(visitor, 'Create the user').click();
  const secret = page.locator('[data-secret]');
  await secret.waitFor();
  const lost = (await secret.textContent()) ?? '';
  expect(lost).toMatch(/\/invitation#.{43}$/);
  await page.keyboard.press('Escape');
  expect(await secret.textContent()).toBe(lost);
  await visitor.shoot('invitation-shown');
  expect(await storedBy(visitor)).not.toContain(lost.slice(-43));
  await button(visitor, 'I have stored it').click();
  await page.getByRole('heading', { level: 1, name: 'Sun Qi' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'newcomer', exact: true }).click();
  await page.getByText('invited', { exact: true }).waitFor();
  await button(visitor, 'Invite again').click();
  await dialogButton(visitor, 'Invite again').click();
  await secret.waitFor();
  const address = (await secret.textContent()) ?? '';
  await button(visitor, 'I have stored it').click();

  const theirs = await site.open();
  await theirs.page.goto(lost);
  await theirs.page.getByText('This invitation is not valid').waitFor();
  await theirs.check();
  await theirs.page.goto('about:blank');
  await theirs.page.goto(address);
  await theirs.page.getByText(/^Welcome, Sun Qi\./).waitFor();
  await theirs.check('invitation');
  await field(theirs, 'Password').fill('a long enough password');
  await theirs.page.keyboard.press('Enter');
  await theirs.page.getByText('The passwords do not match.').waitFor();
  await field(theirs, 'Repeat the password').fill('a long enough password');
  await theirs.page.keyboard.press('Enter');
  await theirs.page.getByRole('button', { name: /Signed in as Sun Qi/ }).waitFor();
  expect(new URL(theirs.page.url()).pathname).toBe('/');
  expect(await storedBy(theirs)).not.toContain(address.slice(-43));
  await page.getByText('accepted the invitation').waitFor();
  await page.getByText('active', { exact: true }).waitFor();

  await theirs.page.goto(address);
  await theirs.page.getByText('This invitation is not valid').waitFor();
});

nightly('a token is created, shown once, used, revoked and rejected', async () => {
  const visitor = await site.enter('/roles');
  const { page } = visitor;
  await page.getByRole('link', { name: 'API tokens' }).click();
  await button(visitor, 'New token').first().click();
  await field(visitor, 'Name').fill('till');
  await dialogButton(visitor, 'Create the token').click();
  await page.getByText('Select at least one permission, or all your permissions.').waitFor();
  await page.getByRole('searchbox', { name: 'Find a permission' }).fill('orders');
  await box(visitor, 'orders:read').check();
  await dialogButton(visitor, 'Create the token').click();
  const secret = page.locator('[data-secret]');
  await secret.waitFor();
  const token = (await secret.textContent()) ?? '';
  expect(token).toMatch(/^ilk_/);

  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.evaluate(() => history.back());
  await expect.poll(() => new URL(page.url()).pathname).toBe('/tokens');
  expect(await secret.textContent()).toBe(token);
  await visitor.check();
  expect(await storedBy(visitor)).not.toContain(token);
  await button(visitor, 'I have stored the token').click();
  await secret.waitFor({ state: 'hidden' });

  expect(await statusFor(token, '/orders')).toBe(200);
  expect(await statusFor(token, '/configs')).toBe(403);
  await page.getByRole('cell', { name: 'till', exact: true }).click();
  await page.getByRole('dialog').getByText('See orders and their history.').waitFor();
  await dialogButton(visitor, 'Revoke').click();
  await page.getByText('Revoke “till”?').waitFor();
  await page.getByRole('dialog', { name: 'Revoke “till”?' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“till” was revoked.').waitFor();
  expect(await statusFor(token, '/orders')).toBe(401);
  await page.getByText('No API tokens yet').waitFor();
});

test('a role editor can grant only permissions they have', async () => {
  const own = await makeRole('role editor', ['access:*', 'orders:read', 'users:*']);
  const { id } = await makeRole('edited', ['wallets:read']);
  await makeUser('zhao', ['role editor']);
  const theirs = await site.open();
  await theirs.signIn({ username: 'zhao', password }, `/roles/${id}`);
  await box(theirs, 'orders:read').check();
  expect(await box(theirs, 'configs:read').isDisabled()).toBe(true);
  expect(await box(theirs, 'wallets:read').isDisabled()).toBe(true);
  await theirs.page.getByText('You do not have this permission, so you cannot grant or remove it.').first().waitFor();
  await button(theirs, /^Save · v/).click();
  await expect.poll(async () => (await roleNow(id)).permissions).toEqual(['orders:read', 'wallets:read']);

  // Permissions that Li receives during the edit can be granted immediately.
  expect(await box(theirs, 'orders:write').isDisabled()).toBe(true);
  await site.request('PATCH', `/roles/${own.id}`, { permissions: { add: ['orders:write'] } }, { 'If-Match': own.etag });
  await expect.poll(() => box(theirs, 'orders:write').isDisabled()).toBe(false);

  await theirs.visit('/users');
  await button(theirs, 'New user').first().click();
  expect(await box(theirs, 'admin').isDisabled()).toBe(true);
  await theirs.page.getByText('It includes *, which you do not have, so you cannot assign or remove it.').waitFor();
  await theirs.check();
});

test('a lost creation reply makes one user and one token', async () => {
  const visitor = await site.enter('/users');
  const { page } = visitor;
  await button(visitor, 'New user').first().click();
  await field(visitor, 'Username').fill('lost');
  await loseReply(visitor, '**/api/v1/users');
  await dialogButton(visitor, 'Create the user').click();
  await page.getByText('The address of the invitation is lost').waitFor();
  await visitor.check();
  await dialogButton(visitor, 'Show the user').click();
  await page.getByRole('heading', { level: 1, name: 'lost' }).waitFor();
  await loseReply(visitor, '**/api/v1/users/*/invite');
  await button(visitor, 'Invite again').click();
  await dialogButton(visitor, 'Invite again').click();
  await page.getByText('The address of the invitation is lost').waitFor();
  await dialogButton(visitor, 'Invite again').click();
  await page.locator('[data-secret]').waitFor();
  await button(visitor, 'I have stored it').click();
  const { items } = await site.request<{ items: User[] }>('GET', '/users?q=lost');
  expect(items.map(({ version }) => version)).toEqual([3]);

  await visitor.visit('/tokens');
  await button(visitor, 'New token').first().click();
  await field(visitor, 'Name').fill('lost');
  await page.getByRole('radio', { name: /^All my permissions/ }).check();
  await loseReply(visitor, '**/api/v1/tokens');
  await dialogButton(visitor, 'Create the token').click();
  await page.getByText('Its secret is lost').waitFor();
  await visitor.check();
  await dialogButton(visitor, 'Show the token').click();
  await dialogButton(visitor, 'Revoke').click();
  await page.getByRole('dialog', { name: 'Revoke “lost”?' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“lost” was revoked.').waitFor();
  await page.getByText('No API tokens yet').waitFor();
});

/** Carries out the next POST to an address and drops its reply. */
async function loseReply({ page }: Visitor, address: string) {
  let isLost = false;
  await page.route(address, async (route) => {
    if (route.request().method() !== 'POST' || isLost) return route.fallback();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
}

nightly('a password change ends the session of another browser', async () => {
  await makeRole('account reader', ['orders:read']);
  await makeUser('sun', ['account reader']);
  const [first, second] = [await site.open(), await site.open()];
  await first.signIn({ username: 'sun', password }, '/orders');
  await second.signIn({ username: 'sun', password }, '/account');
  await first.page.getByRole('button', { name: /Signed in as sun/ }).click();
  await first.page.getByRole('menuitem', { name: 'My account' }).click();
  await button(first, 'Change password').click();
  const dialog = first.page.getByRole('dialog', { name: 'Change my password' });
  await dialog.getByText(/^At least 12 characters/).waitFor();
  const next = 'another long password';
  const fill = async (now: string) => {
    await dialog.locator('input[autocomplete=current-password]').fill(now);
    for (const one of await dialog.locator('input[autocomplete=new-password]').all()) await one.fill(next);
    await dialogButton(first, 'Change password').click();
  };
  await fill('not this one at all');
  await dialog.getByText(/^This is not your password/).waitFor();
  await first.check();
  expect(await storedBy(first)).not.toMatch(/not this one|another long/);

  await fill(password);

  await first.page.getByText('Your password was changed, and your other sessions have ended.').waitFor();
  const gate = second.page.getByRole('dialog', { name: 'Your session has ended' });
  await gate.waitFor();
  await gate.locator('input[name=password]').fill(next);
  await gate.getByRole('button', { name: 'Sign in', exact: true }).click();
  await gate.waitFor({ state: 'hidden' });
  expect(await storedBy(first)).not.toContain(next);
  await first.visit('/orders');
  await first.page.keyboard.press('Control+k');
  await first.page.getByRole('dialog').getByRole('combobox').fill('my acc');
  await first.page.keyboard.press('Enter');
  await first.page.getByRole('heading', { level: 1, name: 'My account' }).waitFor();
});

nightly('a session ended by its user or an administrator is signed out', async () => {
  await makeRole('at work', ['orders:read']);
  const { id } = await makeUser('qian', ['at work']);
  const [first, second] = [await site.open(), await site.open()];
  await first.signIn({ username: 'qian', password }, '/account');
  await second.signIn({ username: 'qian', password }, '/account');
  const ended = (visitor: Visitor) => visitor.page.getByRole('dialog', { name: 'Your session has ended' });
  const sessions = (visitor: Visitor) => visitor.page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await first.visit('/account');
  await expect.poll(() => sessions(first).count()).toBe(2);
  expect(await sessions(first).first().textContent()).toMatch(/^Chrome on Linuxthis session127\.0\.0\.1/);

  await sessions(first)
    .nth(1)
    .getByRole('button', { name: /^End the session/ })
    .click();
  await dialogButton(first, 'End').click();

  await ended(second).waitFor();
  await expect.poll(() => sessions(first).count()).toBe(1);

  await ended(second).locator('input[name=password]').fill(password);
  await ended(second).getByRole('button', { name: 'Sign in', exact: true }).click();
  await ended(second).waitFor({ state: 'hidden' });
  await second.visit('/account');
  await button(second, 'Sign out everywhere else').click();
  await dialogButton(second, 'Sign out everywhere else').click();
  await ended(first).waitFor();

  const manager = await site.enter(`/users/${id}`);
  await expect.poll(() => sessions(manager).count()).toBe(1);
  await manager.check();
  await sessions(manager)
    .getByRole('button', { name: /^End the session/ })
    .click();
  await dialogButton(manager, 'End').click();
  await ended(second).waitFor();
  await manager.page.getByText('No active session').waitFor();
  await Promise.all([first, second, manager].map((visitor) => visitor.close()));
});

test('concurrent renames of a user conflict, and the name appears everywhere', async () => {
  await makeRole('self', ['orders:read']);
  const { id } = await makeUser('zheng', ['self']);
  const theirs = await site.open();
  await theirs.signIn({ username: 'zheng', password }, '/account');
  await field(theirs, 'Display name').fill('Zheng Hua');
  const { etag } = await userNow(id);
  await site.request('PATCH', `/users/${id}`, { displayName: 'H. Zheng' }, { 'If-Match': etag });

  await button(theirs, /^Save · v/).click();

  await theirs.page.getByRole('button', { name: 'Keep yours for Display name' }).click();
  await theirs.check();
  await button(theirs, 'Save merged · v3').click();
  await theirs.page.getByRole('button', { name: /Signed in as Zheng Hua/ }).waitFor();
  expect(await userNow(id)).toMatchObject({ version: 3, displayName: 'Zheng Hua', roles: ['self'] });
  await theirs.page.getByRole('region', { name: 'My permissions' }).getByText('orders:read').waitFor();
});
