import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  {
    name: 'deleted',
    path: '/deleted?kind=items',
    prepare: async (request) => {
      for (const sku of ['DELETED-1', 'DELETED-2']) {
        const { etag } = await request<{ etag: string }>('POST', '/items', { sku, name: 'Green tea', price: 6000 });
        await request('DELETE', `/items/${sku}`, undefined, { 'If-Match': etag });
      }
      await request('POST', '/items', { sku: 'DELETED-2', name: 'Green tea', price: 6600 });
    },
  },
  {
    name: 'deleted-record',
    path: '/deleted?kind=items',
    reach: async (page) => {
      await page
        .getByRole('button', { name: /^(Restore…|恢复…)$/ })
        .first()
        .click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Restore|恢复)$/ })
        .waitFor();
    },
  },
];

export default pages;
