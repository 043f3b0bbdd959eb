import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  {
    name: 'customer',
    path: '/customers/page@example.com',
    prepare: async (request) => {
      await request('POST', '/items', { sku: 'PAGE-C', name: 'Green tea', price: 6000 });
      await request('POST', '/inventory/PAGE-C/adjustments', { delta: 10, reason: 'opening', reference: 'opening' });
      await request('POST', '/wallets/page@example.com/entries', { amount: 9000, kind: 'topup', reference: 'psp-c' });
      const { id } = await request<{ id: number }>('POST', '/orders', { userId: 'page@example.com', items: [{ sku: 'PAGE-C', quantity: 1 }] });
      await request('POST', `/orders/${id}/pay`, { method: 'wallet' });
    },
    reach: async (page) => {
      await page.getByRole('complementary').locator('li').nth(2).waitFor();
    },
  },
  {
    name: 'timeline',
    path: '/timeline?q=page@example.com',
    reach: async (page) => {
      await page.locator('[data-part=money]').first().waitFor();
    },
  },
  { name: 'timeline-nothing', path: '/timeline?q=PAGE' },
  { name: 'customer-new', path: '/customers/nobody-yet' },
];

export default pages;
