import type { Visitor } from './browser';
import { expect, li, nightly, tenantSite, test } from './site';

const site = tenantSite();

// Each test starts without a factor, whatever the result of the previous one.
test.beforeEach(() => site.service.command('user', 'reset-factors', '--tenant', site.tenant ?? 'default', li.username));

/** Passkeys require a host name; this machine is also reachable as localhost. */
const named = () => site.address.replace('127.0.0.1', 'localhost');

/** Adds a virtual authenticator that verifies every user; returns its id and the CDP session. */
async function authenticator({ context, page }: Visitor) {
  const link = await context.newCDPSession(page);
  await link.send('WebAuthn.enable');
  const { authenticatorId } = await link.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { link, authenticatorId };
}

const t = {
  add: 'Add a passkey',
  goOn: 'Continue',
  create: 'Create the passkey',
  codes: 'Recovery codes',
  stored: 'I have stored the codes',
  use: 'Use your passkey',
  signIn: 'Sign in',
  account: 'My account',
  rename: 'Rename This device',
  name: 'Name',
  renamed: 'Work laptop',
  remove: 'Remove Work laptop',
  confirm: 'Remove',
  none: 'Only your password protects your account',
  cancelled: /^No passkey was used/,
  recovery: 'Use a recovery code',
};

/** Inspects the open state in both languages, and returns to English. */
async function look(visitor: Visitor, name: string): Promise<void> {
  await visitor.inspectBothLanguages(name);
  await visitor.speak('en');
}

test('a passkey is added, used, renamed and removed', async () => {
  const visitor = await site.open({ address: named(), isolated: true });
  const { page } = visitor;
  const { link, authenticatorId } = await authenticator(visitor);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  await visitor.signIn(li, '/account');
  await page.getByText(t.none).waitFor();
  await button(t.add).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[autocomplete=current-password]').fill(li.password);
  await look(visitor, 'passkey-name');
  await button(t.goOn).click();
  await button(t.create).waitFor();
  await look(visitor, 'passkey-make');
  await button(t.create).click();
  await button(t.stored).waitFor();
  const codes = await page.getByRole('group', { name: t.codes }).getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  await button(t.stored).click();
  await button(t.rename).waitFor();
  await look(visitor, 'passkey-list');
  const { credentials } = await link.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ rpId: 'localhost', signCount: 1 }]);

  await visitor.context.clearCookies();
  await page.goto('/account');
  const givePassword = async () => {
    await page.locator('input[name=username]').fill(li.username);
    await page.locator('input[name=password]').fill(li.password);
    await button(t.signIn).click();
    await button(t.use).waitFor();
  };
  await givePassword();
  await look(visitor, 'passkey-sign-in');
  // The first prompt is not confirmed, the second one is.
  await link.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await button(t.use).click();
  await page.getByText(t.cancelled).waitFor();
  await link.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await button(t.use).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: t.account }).waitFor();

  // The passkey was used a moment ago, so no step-up is required.
  await button(t.rename).click();
  await dialog.getByRole('textbox', { name: t.name }).fill(t.renamed);
  await dialog.getByRole('button').last().click();
  await button(t.remove).waitFor();

  // A user who has lost the passkey signs in with a recovery code and removes it.
  await visitor.context.clearCookies();
  await page.goto('/account');
  await givePassword();
  await button(t.recovery).click();
  await page.locator('input[name=code]').fill(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: t.account }).waitFor();
  await button(t.remove).click();
  await page.getByRole('dialog').getByRole('button', { name: t.confirm, exact: true }).click();
  await page.getByText(t.none).waitFor();
});

nightly('an action waits for the passkey and then continues', async () => {
  const visitor = await site.open({ address: named(), isolated: true });
  const { page } = visitor;
  await authenticator(visitor);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await visitor.signIn(li, '/account');
  await button(t.add).click();
  await page.getByRole('dialog').locator('input[autocomplete=current-password]').fill(li.password);
  await button(t.goOn).click();
  await button(t.create).click();
  await button(t.stored).click();

  // The session started without the passkey, so the action requires it.
  const stepUp = page.getByRole('dialog', { name: 'Verify your second factor' });
  await button('New recovery codes').click();
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click();
  await stepUp.getByRole('button', { name: t.use }).waitFor();
  await look(visitor, 'passkey-step-up');
  const before = (await visitor.context.cookies()).find(({ name }) => name === 'interlock_session')?.value;
  await stepUp.getByRole('button', { name: t.use }).click();
  await page.getByRole('group', { name: t.codes }).waitFor();
  const after = (await visitor.context.cookies()).find(({ name }) => name === 'interlock_session')?.value;
  expect(after).not.toBe(before);
  await button(t.stored).click();
  await page.getByText('Recovery codes left: 10').waitFor();
});

test('an address without a host name reports where passkeys work', async () => {
  const visitor = await site.enter('/account', li);
  const { page } = visitor;
  const there = page.getByRole('link', { name: named() });
  await there.waitFor();
  expect(await there.getAttribute('href')).toBe(`${named()}/account`);
  expect(await page.getByRole('button', { name: t.add }).count()).toBe(0);
  await look(visitor, 'passkey-without-name');
});
