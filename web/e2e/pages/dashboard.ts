import type { PageUnderTest } from '../pages';

const pages: PageUnderTest[] = [
  {
    name: 'dashboard-busy',
    path: '/',
    prepare: async (request) => {
      // A stale edit, so that there is a conflict to show.
      const { etag } = await request<{ etag: string }>('POST', '/items', { sku: 'DASH-1', name: 'Teapot', price: 12900 });
      const change = (price: number) => request('PATCH', '/items/DASH-1', { price }, { 'If-Match': etag, 'Content-Type': 'application/merge-patch+json' });
      await change(13900);
      await change(14900).catch(() => undefined);
    },
    reach: async (page) => {
      // The ten latest changes depend on the earlier looks.
      await page
        .getByRole('region', { name: /^(Recent changes|最近更改)$/ })
        .getByRole('listitem')
        .first()
        .waitFor();
      await page
        .getByRole('region', { name: /^(Conflicts today|今日冲突)$/ })
        .getByRole('link', { name: 'DASH-1' })
        .waitFor();
    },
  },
  {
    name: 'dashboard-failed',
    path: '/audit-log',
    reach: async (page) => {
      await page.route('**/api/v1/dashboard', (route) =>
        route.fulfill({ status: 500, json: { type: '/problems/internal', title: 'Internal error', status: 500, code: 'internal', requestId: 'r-1' } }),
      );
      // A reload, since the cache would show the earlier data until it is stale.
      await page.goto('/');
      await page.getByRole('alert').waitFor();
      await page.unroute('**/api/v1/dashboard');
    },
  },
];

export default pages;
