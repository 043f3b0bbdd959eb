import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

const day = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * day).toISOString();

let ask: ApiRequest;
let campaign = 0;
let codes: string[] = [];
/** Users have a coupon limit, and every look redeems one coupon. */
let lastUser = 76;

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });

/** A coupon with its history; codes are only known after the issue. */
const coupon = (i: number) => ({
  path: () => `/coupons/${codes[i] ?? ''}`,
  reach: (page: Page) => page.locator('ol li').first().waitFor(),
});

async function issueOne(): Promise<string> {
  const issued = await ask<{ codes: string[] }>('POST', `/coupon-campaigns/${campaign}/coupons`, { count: 1 });
  return issued.codes[0] ?? '';
}

const pages: PageUnderTest[] = [
  {
    name: 'coupons-list',
    path: () => `/coupons?campaignId=${campaign}&sort=id`,
    prepare: async (request) => {
      ask = request;
      const terms = { name: 'Welcome back', kind: 'percent', value: 15, minimumAmount: 5000, total: 500, perUser: 3, validFrom: at(-2), validTo: at(30) };
      campaign = (await request<{ id: number }>('POST', '/coupon-campaigns', terms)).id;
      codes = (await request<{ codes: string[] }>('POST', `/coupon-campaigns/${campaign}/coupons`, { userIds: [41, 42, 43] })).codes;
      await request('POST', `/coupons/${codes[0] ?? ''}/redeem`, { userId: 41 });
      await request('POST', `/coupons/${codes[1] ?? ''}/void`, { reason: 'It was sent to the wrong address, and the customer has a new one.' });
    },
    reach: async (page) => {
      await page
        .getByText(codes[0] ?? '')
        .first()
        .waitFor();
    },
  },
  {
    name: 'coupons-void-list',
    path: '/coupons',
    reach: async (page) => {
      await button(page, 'Void a list', '按列表作废').click();
      await page.getByRole('textbox', { name: /^(List|列表)$/ }).fill(`${codes.join(' ')} NOSUCH`);
      await page.getByText(/1 row will be sent|将发送 1 行/).waitFor();
    },
  },
  { name: 'coupons-no-match', path: '/coupons?userId=999999' },
  { name: 'coupons-missing', path: '/coupons/NOSUC-HCODE' },
  { name: 'coupons-used', ...coupon(0) },
  { name: 'coupons-void', ...coupon(1) },
  {
    name: 'coupons-redeem',
    path: '/coupons',
    reach: async (page) => {
      const code = await issueOne();
      await page.goto(`/coupons/${code}`);
      await button(page, 'Redeem', '核销').click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Redeem|核销)$/ })
        .click();
      await page.getByText(/Enter the shop’s id of the user|请填写核销用户/).waitFor();
    },
  },
  {
    name: 'coupons-lost',
    path: '/coupons',
    reach: async (page) => {
      const code = await issueOne();
      await page.goto(`/coupons/${code}`);
      await button(page, 'Void', '作废').click();
      await ask('POST', `/coupons/${code}/redeem`, { userId: ++lastUser });
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Void|作废)$/ })
        .click();
      await page.getByText(/Too late|晚了一步/).waitFor();
    },
  },
];

export default pages;
