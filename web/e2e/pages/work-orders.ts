import type { PageUnderTest } from '../pages';

interface WorkOrder {
  id: number;
}

let busy: WorkOrder = { id: 0 };
let resolved: WorkOrder = { id: 0 };

const pages: PageUnderTest[] = [
  {
    name: 'work-orders-list',
    path: '/work-orders?priority=urgent',
    prepare: async (request) => {
      const yesterday = new Date(Date.now() - 86_400_000).toISOString();
      busy = await request<WorkOrder>('POST', '/work-orders', {
        title: 'The teapot of a regular customer arrived broken, for the second time in a row',
        body: 'See the pictures in the mail of today.\n\nThe carrier asks for the box; ask the customer whether it is still there.',
        priority: 'urgent',
        dueTime: yesterday,
        links: ['wallets/li@example.com'],
      });
      await request('POST', `/work-orders/${busy.id}/comments`, { text: 'The courier has been called; they call back by noon.' });
      resolved = await request<WorkOrder>('POST', '/work-orders', { title: '客户要求更换礼盒', priority: 'low' });
      await request('POST', `/work-orders/${resolved.id}/resolve`, { resolution: 'A new one is on its way.' });
      await request('POST', '/work-orders', { title: 'Count the green tea again', priority: 'urgent' });
    },
  },
  {
    name: 'work-order-one',
    path: () => `/work-orders/${busy.id}`,
    reach: async (page) => {
      await page.locator('ol li').first().waitFor();
      await page
        .getByText(/The courier has been called/)
        .first()
        .waitFor();
    },
  },
  { name: 'work-order-resolved', path: () => `/work-orders/${resolved.id}`, reach: (page) => page.locator('ol li').first().waitFor() },
  {
    name: 'work-order-assign',
    path: () => `/work-orders/${busy.id}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Assign…|指派…)$/ }).click();
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'work-order-new',
    path: '/work-orders',
    reach: async (page) => {
      await page.getByRole('button', { name: /^(New work order|新建工单)$/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: /^(Records|相关记录)$/ }).fill('nothing');
      await dialog.locator('button[type=submit]').click();
      await dialog.locator('[aria-invalid=true]').first().waitFor();
    },
  },
];

export default pages;
