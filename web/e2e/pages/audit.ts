import type { PageUnderTest } from '../pages';

const dialog = /^(Audit entry|审计条目)$/;

const pages: PageUnderTest[] = [
  {
    name: 'audit-entry',
    path: '/audit-log?resource=items/AUDIT-1',
    prepare: async (request) => {
      const { etag } = await request<{ etag: string }>('POST', '/items', { sku: 'AUDIT-1', name: 'Green tea', price: 6000 });
      await request('PATCH', '/items/AUDIT-1', { price: 6600 }, { 'If-Match': etag, 'X-Idempotency-Key': 'audit-1' });
    },
    reach: async (page) => {
      await page.locator('tbody tr').first().click();
      await page.getByRole('dialog', { name: dialog }).getByText('audit-1', { exact: true }).waitFor();
      await page.getByRole('dialog', { name: dialog }).locator('summary').click();
    },
  },
  {
    name: 'audit-overwrite',
    path: '/audit-log?resource=configs/audit.page',
    prepare: async (request) => {
      const { etag } = await request<{ etag: string }>('POST', '/configs', { key: 'audit.page', value: 'old', valueType: 'string', remark: '' });
      await request('PATCH', '/configs/audit.page', { value: 'theirs' }, { 'If-Match': etag });
      await request('PATCH', '/configs/audit.page?overwrite=The%20sale%20starts', { value: 'mine' }, { 'If-Match': etag });
    },
    reach: async (page) => {
      await page.locator('tbody tr').first().locator('td').first().click();
      await page.getByRole('dialog', { name: dialog }).locator('del').first().waitFor();
    },
  },
];

export default pages;
