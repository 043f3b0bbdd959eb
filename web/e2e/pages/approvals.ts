import type { ApiRequest, PageUnderTest } from '../pages';

interface Approval {
  id: number;
  etag: string;
}

let ask: ApiRequest;
let pending: Approval = { id: 0, etag: '' };
let stale: Approval = { id: 0, etag: '' };
let bypassed: Approval = { id: 0, etag: '' };

const propose = async (key: string, patch: unknown, query = ''): Promise<Approval> => {
  const { etag } = await ask<{ etag: string }>('GET', `/configs/${key}`);
  return ask<Approval>('PATCH', `/configs/${key}${query}`, patch, { 'If-Match': etag });
};
const create = (key: string) =>
  ask('POST', '/configs', {
    key,
    valueType: 'json',
    value: { timeoutMs: 3000, retries: 2, methods: ['card', 'wallet'] },
    remark: 'How checkout asks for money, in every shop that we have',
    protected: true,
  });

const pages: PageUnderTest[] = [
  {
    name: 'approvals-one',
    path: () => `/approvals/${pending.id}`,
    prepare: async (request) => {
      ask = request;
      await create('approvals.payment');
      pending = await propose('approvals.payment', { value: { timeoutMs: 5000 }, remark: 'Slower banks need more time to answer than we gave them before' });
      await create('approvals.stale');
      stale = await propose('approvals.stale', { value: { retries: 3 } });
      const other = await propose('approvals.stale', { value: { timeoutMs: 9000 } });
      await request('POST', `/approvals/${other.id}/approve?bypass=The%20shop%20is%20down`, {}, { 'If-Match': other.etag });
      bypassed = other;
    },
    reach: async (page) => {
      await page.locator('ol li').first().waitFor();
    },
  },
  {
    name: 'approvals-edit',
    path: () => `/approvals/${pending.id}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Edit…|编辑…)$/ }).click();
      await page.getByRole('dialog').locator('textarea').first().waitFor();
    },
  },
  {
    name: 'approvals-bypass',
    path: () => `/approvals/${pending.id}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Bypass…|绕过…)$/ }).click();
      await page.getByRole('dialog').locator('textarea').first().waitFor();
    },
  },
  { name: 'approvals-stale', path: () => `/approvals/${stale.id}`, reach: (page) => page.locator('[data-moved]').first().waitFor() },
  { name: 'approvals-bypassed', path: () => `/approvals/${bypassed.id}`, reach: (page) => page.locator('ol li').first().waitFor() },
  { name: 'approvals-to-review', path: '/approvals?view=toReview' },
  {
    name: 'approvals-config',
    path: '/configs/approvals.payment',
    reach: (page) => page.getByText(/1 vote is missing|还需 1 票/).waitFor(),
  },
];

export default pages;
