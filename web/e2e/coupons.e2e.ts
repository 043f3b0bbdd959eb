import type { Visitor } from './browser';
import { expect, tenantSite, test } from './site';

const day = 86_400_000;
let campaign: number;

interface Coupon {
  status: string;
  redeemedByUserId: number | null;
  version: number;
}

const site = tenantSite(async () => {
  const terms = { name: 'Welcome', kind: 'amount', value: 500, total: 100, perUser: 1 };
  const validity = { validFrom: new Date(Date.now() - day).toISOString(), validTo: new Date(Date.now() + day).toISOString() };
  campaign = (await site.request<{ id: number }>('POST', '/coupon-campaigns', { ...terms, ...validity })).id;
});

const now = (code: string) => site.request<Coupon>('GET', `/coupons/${code}`);

/** Two admins with an open dialog for one coupon. */
async function race(mine: 'Redeem' | 'Void', theirs: 'Redeem' | 'Void'): Promise<{ code: string; first: Visitor; second: Visitor }> {
  const { codes } = await site.request<{ codes: string[] }>('POST', `/coupon-campaigns/${campaign}/coupons`, { count: 1 });
  const code = codes[0] ?? '';
  const [first, second] = await site.two(`/coupons/${code}`);
  await first.page.getByRole('button', { name: mine }).click();
  await second.page.getByRole('button', { name: theirs }).click();
  return { code, first, second };
}

const user = ({ page }: Visitor, id: number) => page.getByRole('dialog').getByRole('textbox', { name: 'User id' }).fill(String(id));
const confirm = ({ page }: Visitor, action: 'Redeem' | 'Void') => page.getByRole('dialog').getByRole('button', { name: action }).click();

test('the loser of two redemptions reads the winner, time and customer', async () => {
  const { code, first, second } = await race('Redeem', 'Redeem');
  await user(first, 31);
  await user(second, 32);
  await confirm(second, 'Redeem');
  await second.page.getByText(`${code} was redeemed.`).waitFor();

  await confirm(first, 'Redeem');

  await first.page.getByText(/Too late: Li redeemed it .*, for user 32\./).waitFor();
  expect(await first.page.getByRole('dialog').getByRole('button', { name: 'Redeem' }).count()).toBe(0);
  expect(await now(code)).toMatchObject({ status: 'used', redeemedByUserId: '32', version: 2 });
  await first.check('coupon-redeemed-first');
});

test('voiding a redeemed coupon reports the redemption and changes nothing', async () => {
  const { code, first, second } = await race('Void', 'Redeem');
  await user(second, 33);
  await confirm(second, 'Redeem');
  await second.page.getByText(`${code} was redeemed.`).waitFor();

  await confirm(first, 'Void');

  await first.page.getByText(/Too late: Li redeemed it .*, for user 33\./).waitFor();
  await first.page.getByRole('dialog').getByText('Close', { exact: true }).click();
  await first.page.getByText('redeemed it').first().waitFor();
  expect(await first.page.getByRole('button', { name: 'Void' }).count()).toBe(0);
  expect(await now(code)).toMatchObject({ status: 'used', redeemedByUserId: '33' });
});

test('redeeming a voided coupon reports who voided it', async () => {
  const { code, first, second } = await race('Redeem', 'Void');
  await user(first, 34);
  await second.page
    .getByRole('dialog')
    .getByRole('textbox', { name: /^Reason/ })
    .fill('Sent by mistake.');
  await confirm(second, 'Void');
  await second.page.getByText(`${code} was voided.`).waitFor();

  await confirm(first, 'Redeem');

  await first.page.getByText(/Too late: Li voided it/).waitFor();
  expect(await now(code)).toMatchObject({ status: 'void', redeemedByUserId: null });
  await first.check();
});
