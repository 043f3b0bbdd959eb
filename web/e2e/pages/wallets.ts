import type { Page } from '@playwright/test';
import type { PageUnderTest } from '../pages';

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const field = (page: Page, en: string, zh: string) => page.getByRole('dialog').getByRole('textbox', { name: new RegExp(`^(${en}|${zh})$`) });

const pages: PageUnderTest[] = [
  {
    name: 'wallets-detail',
    path: '/wallets/812',
    prepare: async (request) => {
      await request('POST', '/wallets/812/entries', { amount: 128_050, kind: 'topup', reference: 'psp-90211' });
      await request('POST', '/wallets/812/entries', { amount: -1990, kind: 'correction', reference: 'case-17' });
      await request('POST', '/wallet-transfers', { fromUserId: 812, toUserId: 813, amount: 1200, reference: 'gift-1' });
    },
    reach: async (page) => {
      await page.locator('tbody tr').first().waitFor();
    },
  },
  { name: 'wallets-untouched', path: '/wallets/999' },
  { name: 'wallets-missing', path: '/wallets/nobody' },
  {
    name: 'wallets-entry',
    path: '/wallets/812',
    reach: async (page) => {
      await button(page, 'Credit or debit', '入账或扣款').click();
      await field(page, 'Amount', '金额').fill('20.00');
    },
  },
  {
    name: 'wallets-short',
    path: '/wallets/813',
    reach: async (page) => {
      await button(page, 'Credit or debit', '入账或扣款').click();
      await page
        .getByRole('dialog')
        .getByText(/^(Debit|扣款)$/)
        .first()
        .click();
      await field(page, 'Amount', '金额').fill('90.00');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Debit|扣款)$/ })
        .click();
      await page.getByText(/has ¥12\.00|中有 ¥12\.00/).waitFor();
    },
  },
  {
    name: 'wallets-transfer',
    path: '/wallets/812',
    reach: async (page) => {
      await button(page, 'Transfer', '转账').click();
      await field(page, 'To user', '收款用户').fill('813');
      await field(page, 'Amount', '金额').fill('25.00');
      await page.getByText(/then ¥37\.00|将为 ¥37\.00/).waitFor();
    },
  },
];

export default pages;
