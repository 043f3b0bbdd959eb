import type { Look, Visitor } from './browser';
import { Provider } from './provider';
import { admin } from './service';
import { expect, li, nightly, serviceSite, test } from './site';

let provider: Provider;
test.beforeAll(async () => {
  provider = await Provider.listen();
});
const site = serviceSite(
  ({ address }) => {
    provider.serve(address);
    return Promise.resolve();
  },
  () => ({ INTERLOCK_OIDC_PROVIDERS: provider.setting }),
);
test.afterAll(() => provider.stop());

const open = (look?: Look) => site.open({ look, origins: [provider.issuer] });

/** Enters the account name at the provider. */
async function sayWho({ page }: Visitor, account: string): Promise<void> {
  await page.locator('input[name=login]').fill(account);
  await page.getByRole('button', { name: 'Sign in at Corp' }).click();
}

async function signOut({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.locator('input[name=password]').waitFor();
}

test('a user links an account, signs in with it, and is unlinked', async () => {
  const visitor = await open();
  const { page } = visitor;
  await visitor.signIn(li, '/account');
  await page.getByText('No linked account').waitFor();
  await page.getByRole('button', { name: 'Link an account' }).click();
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter your password.').waitFor();
  await dialog.locator('input[autocomplete=current-password]').fill('not this one');
  await page.keyboard.press('Enter');
  await dialog.getByText('This is not your password.').waitFor();
  await visitor.inspect('sso-link');
  await dialog.locator('input[autocomplete=current-password]').fill(li.password);
  await dialog.getByRole('button', { name: 'Continue to Corp' }).click();
  await sayWho(visitor, 'li-at-corp');
  await page.getByText('Your account is linked').waitFor();
  await visitor.inspect('sso-linked');
  await page.getByRole('button', { name: 'Continue' }).click();
  const links = page.getByRole('list', { name: 'Linked accounts' });
  await links.getByText('li-at-corp').waitFor();
  expect(new URL(page.url()).pathname).toBe('/account');
  await visitor.inspect('sso-links');

  await signOut(visitor);
  await page.goto('/items?q=tea');
  const byCorp = page.getByRole('link', { name: 'Sign in with Corp' });
  await byCorp.waitFor();
  await visitor.inspect('sso-sign-in');
  // By keyboard. The provider recognizes the browser and shows no form.
  await byCorp.focus();
  await page.keyboard.press('Enter');
  await page.locator('#content').waitFor();
  const { pathname, search } = new URL(page.url());
  expect(pathname + search).toBe('/items?q=tea');
  await page.getByRole('button', { name: 'Signed in as Li' }).waitFor();
  const cookies = await visitor.context.cookies();
  expect(cookies.map(({ name, sameSite, httpOnly }) => [name, sameSite, httpOnly])).toEqual(
    expect.arrayContaining([
      ['interlock_session', 'Strict', true],
      ['interlock_sign_in', 'Lax', true],
    ]),
  );

  const { items } = await site.request<{ items: { id: number }[] }>('GET', `/users?q=${li.username}`);
  const admins = await open();
  await admins.signIn(admin, `/users/${items[0]?.id ?? 0}`);
  await admins.inspect('sso-user');
  await admins.page.getByRole('button', { name: 'Remove the link to Corp' }).click();
  await admins.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await admins.page.getByText('The link to Corp was removed.').waitFor();
  await admins.page.getByText('removed the link to a provider').first().waitFor();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.reload();
  await byCorp.click();
  await page.getByText('No user is linked to this account').waitFor();
});

nightly('a session renewed in another tab preserves the page', async () => {
  const visitor = await open();
  const { page } = visitor;
  await visitor.signIn(li, '/account');
  await page.getByRole('button', { name: 'Link an account' }).click();
  await page.getByRole('dialog').locator('input[autocomplete=current-password]').fill(li.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Continue to Corp' }).click();
  await sayWho(visitor, 'li-again');
  await page.getByRole('button', { name: 'Continue' }).click();
  const name = page.getByRole('textbox', { name: 'Display name' });
  await name.fill('Not saved yet');
  const { items } = await site.request<{ items: { id: number }[] }>('GET', `/users?q=${li.username}`);
  const theirs = await site.request<{ items: { id: number }[] }>('GET', `/sessions?userId=${items[0]?.id ?? 0}`);
  for (const { id } of theirs.items) await site.request('DELETE', `/sessions/${id}`);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  const opened = visitor.context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Sign in with Corp' }).click();
  await (await opened).locator('#content').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  expect(await name.inputValue()).toBe('Not saved yet');
});

nightly('an invited user signs in at the provider without a password', async () => {
  const { invitation } = await site.request<{ invitation: { path: string } }>('POST', '/users', { username: 'chen', displayName: 'Chen', roles: ['admin'] });
  const visitor = await open();
  const { page } = visitor;
  await page.goto(invitation.path);
  const byCorp = page.getByRole('button', { name: 'Sign in with Corp' });
  await byCorp.waitFor();
  await visitor.inspect('sso-invitation');
  await byCorp.click();
  await sayWho(visitor, 'chen-at-corp');
  await page.getByRole('button', { name: 'Signed in as Chen' }).waitFor();
  await visitor.visit('/account');
  await page.getByRole('list', { name: 'Linked accounts' }).getByText('chen-at-corp').waitFor();
  expect(await page.getByRole('button', { name: 'Change password' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Remove the link to Corp' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText(/this is the only way in/i).waitFor();
});

for (const language of ['en', 'zh'] as const)
  nightly(`a failed sign-in shows its reason and a way back, in ${language}`, async () => {
    const say = (en: string, zh: string) => (language === 'en' ? en : zh);
    const visitor = await open({ language, colours: 'light', width: 1280 });
    const { page } = visitor;
    const byCorp = page.getByRole('link', { name: say('Sign in with Corp', '使用 Corp 登录') });
    await page.goto('/configs');
    await byCorp.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(say('The sign-in was cancelled', '登录已取消')).waitFor();
    await page.getByRole('button', { name: say('Go back', '返回') }).click();
    await byCorp.click();
    await sayWho(visitor, 'stranger');
    await page.getByText(say('No user is linked to this account', '此账户未关联任何用户')).waitFor();
    await visitor.inspect(`sso-failed-${language}`);
    // The page ignores text that other people write into the address.
    await page.goto('/single-sign-on#failure=<b>call+us</b>&request=call-us');
    await page.reload();
    await page.getByText(say('This sign-in is no longer valid', '此次登录已失效')).waitFor();
    expect(await page.getByText('call').count()).toBe(0);
  });

nightly('password sign-in works while the provider is unreachable', async () => {
  await provider.stop();
  const visitor = await open();
  const { page } = visitor;
  await page.goto('/account');
  await page.getByRole('link', { name: 'Sign in with Corp' }).click();
  // The service has cached the provider's metadata: the browser finds no server there.
  await page.waitForURL((url) => url.href.startsWith(provider.issuer) || url.protocol === 'chrome-error:').catch(() => undefined);
  await visitor.signIn(admin, '/account');
  await page.getByRole('heading', { name: 'My account' }).waitFor();
  await visitor.close();

  await site.service.pause();
  await site.service.run();
  const later = await open();
  await later.page.goto('/account');
  await later.page.getByRole('link', { name: 'Sign in with Corp' }).click();
  await later.page.getByText('The provider did not respond').waitFor();
  await later.page.getByRole('button', { name: 'Go back' }).click();
  await later.fillIn(admin);
  await later.page.getByRole('heading', { name: 'My account' }).waitFor();
});
