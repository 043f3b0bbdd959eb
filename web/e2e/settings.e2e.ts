import { expect, tenantSite, test } from './site';

interface Settings {
  approvalsRequired: number;
  approvalDays: number;
  version: number;
}

const site = tenantSite();

const now = () => site.request<Settings>('GET', '/settings');
const votes = 'Votes required per change';
const days = 'Days until a proposal expires';

test('two admins change different settings, and both stand; one that both change is asked for', async () => {
  const { version } = await now();
  const [first, second] = await site.two('/settings');
  const field = (visitor: typeof first, name: string) => visitor.page.getByRole('textbox', { name, exact: true });
  const save = (visitor: typeof first) => visitor.page.getByRole('button', { name: /^Save · v/ }).click();
  await field(first, votes).fill('2');
  await field(second, days).fill('14');
  await save(second);
  await expect.poll(async () => (await now()).version).toBe(version + 1);
  await save(first);
  await expect.poll(async () => (await now()).version).toBe(version + 2);
  expect(await now()).toMatchObject({ approvalsRequired: 2, approvalDays: 14 });
  await first.page.getByText(/^Saved. Kept Li’s change to Days until a proposal expires\.$/).waitFor();
  await first.check();

  await second.visit('/settings');
  await field(first, votes).fill('3');
  await field(second, votes).fill('4');
  await save(second);
  await expect.poll(async () => (await now()).approvalsRequired).toBe(4);
  await save(first);
  await first.page
    .getByText(/^Li saved v\d+ .*, while you were editing v\d+/)
    .first()
    .waitFor();
  await first.page.getByRole('button', { name: `Keep yours for ${votes}` }).waitFor();
  expect(await now()).toMatchObject({ approvalsRequired: 4 });
  await first.check('settings-contested');
});

test('a number that cannot be set is said at its field, and nothing is sent', async () => {
  const before = await now();
  const visitor = await site.enter('/settings');
  const { page } = visitor;
  await page.getByRole('textbox', { name: days, exact: true }).fill('91');
  await page.getByRole('button', { name: /^Save · v/ }).click();
  await page.getByText('Enter a whole number from 1 to 90.').waitFor();
  expect(await now()).toEqual(before);
  await visitor.check();
});
