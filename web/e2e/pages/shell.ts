import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  { name: 'not-found', path: '/nowhere/at-all' },
  {
    name: 'search',
    path: '/',
    prepare: async (request) => {
      await request('POST', '/configs', { key: 'checkout.tax', valueType: 'number', value: 0.21, remark: 'Rate of the general VAT' });
      await request('POST', '/configs', { key: 'checkout.payment', valueType: 'json', value: { timeoutMs: 3000, retries: 2 } });
    },
    reach: async (page) => {
      await page.keyboard.press('Control+k');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').fill('checkout');
      await dialog.getByText('checkout.tax').waitFor();
    },
  },
  {
    name: 'columns',
    path: '/audit-log',
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Columns|列)$/ }).click();
      await page.getByRole('checkbox').first().waitFor();
    },
  },
];

export default pages;
