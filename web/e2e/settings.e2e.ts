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

test('a proposed change of settings applies after another user’s vote', async () => {
  const { version, approvalsRequired } = await now();
  const [first, second] = await site.two('/settings');
  await first.page.getByRole('textbox', { name: votes, exact: true }).fill('2');
  await first.page.getByRole('textbox', { name: days, exact: true }).fill('14');
  await first.page.getByRole('button', { name: 'Propose' }).click();
  await first.page
    .getByText(/1 vote is missing\./)
    .first()
    .waitFor();
  expect(await now()).toMatchObject({ version, approvalsRequired });
  await first.check('settings-proposed');

  await second.visit('/approvals?view=toDecide');
  await second.page
    .getByRole('link', { name: /^Approval \d+$/ })
    .first()
    .click();
  await second.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await second.page.getByText('Approved, and the change was made.').waitFor();
  expect(await now()).toMatchObject({ version: version + 1, approvalsRequired: 2, approvalDays: 14 });
});

test('an invalid number is reported at its field and not sent', async () => {
  const before = await now();
  const visitor = await site.enter('/settings');
  const { page } = visitor;
  await page.getByRole('textbox', { name: days, exact: true }).fill('91');
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByText('Enter a whole number from 1 to 90.').waitFor();
  expect(await now()).toEqual(before);
  await visitor.check();
});
