import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  {
    name: 'idempotency-detail',
    path: '/idempotency-keys?key=checkout-8812',
    prepare: async (request) => {
      const headers = { 'X-Idempotency-Key': 'checkout-8812' };
      const body = { amount: 4200, kind: 'topup', reference: 'checkout-8812' };
      for (let i = 0; i < 3; i++) await request('POST', '/wallets/821/entries', body, headers);
    },
    reach: async (page) => {
      await page.locator('tbody').getByText('checkout-8812').first().click();
      await page.getByText(/Replayed 2 times|重放 2 次/).waitFor();
    },
  },
  { name: 'idempotency-no-match', path: '/idempotency-keys?key=never-sent' },
];

export default pages;
