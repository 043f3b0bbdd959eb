import type { Page } from '@playwright/test';
import type { PageUnderTest } from '../pages';

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const field = (page: Page, en: string, zh: string) => page.getByRole('dialog').getByRole('textbox', { name: new RegExp(`^(${en}|${zh})$`) });

async function openDialog(page: Page): Promise<void> {
  await button(page, 'Adjust the stock', '调整库存').click();
  await page.getByRole('dialog').waitFor();
}

const pages: PageUnderTest[] = [
  {
    name: 'inventory-list',
    path: '/inventory?maxAvailable=500',
    prepare: async (request) => {
      await request('POST', '/items', { sku: 'STOCKED-1', name: 'Jasmine, 50 g', price: 2900 });
      await request('POST', '/items', { sku: 'STOCKED-2', name: 'Sencha, 100 g', price: 4900 });
      await request('POST', '/inventory/STOCKED-1/adjustments', { delta: 240, reason: 'Delivery 4711, two pallets', reference: 'delivery-4711' });
      await request('POST', '/inventory/STOCKED-1/adjustments', { delta: -238, reason: 'Water damage', reference: 'damage-12' });
      await request('POST', '/inventory/STOCKED-2/adjustments', { setTo: 120, changeFrom: 0, reason: 'Stocktaking', reference: 'count-1' });
    },
    reach: async (page) => {
      await page.getByText('STOCKED-1').first().waitFor();
    },
  },
  { name: 'inventory-no-match', path: '/inventory?q=nothing-like-it' },
  {
    name: 'inventory-item',
    path: '/items/STOCKED-1',
    reach: async (page) => {
      await page.locator('#movements').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'inventory-adjust',
    path: '/items/STOCKED-2',
    reach: async (page) => {
      await openDialog(page);
      await button(page, 'Save', '保存').last().click();
      await page.getByText(/Enter a reason|请填写原因/).waitFor();
    },
  },
  {
    name: 'inventory-receive',
    path: '/inventory',
    reach: async (page) => {
      await button(page, 'Receive or count', '入库或盘点').click();
      await page.getByRole('textbox', { name: /^(Table|表格)$/ }).fill('STOCKED-1\t12\nSTOCKED-2\t-700\nSTOCKED-3\t1');
      await button(page, 'Apply', '应用').click();
      await page.getByText(/2 rows will be sent|将发送 2 行/).waitFor();
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await page.getByText(/Enter a reason|请填写原因/).waitFor();
    },
  },
  {
    name: 'inventory-short',
    path: '/items/STOCKED-1',
    reach: async (page) => {
      await openDialog(page);
      await field(page, 'Units', '件数').fill('-50');
      await field(page, 'Reason', '原因').fill('Sold at the door');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Save|保存)$/ })
        .click();
      await page.getByText(/Only 2 are available|可用仅 2 件/).waitFor();
    },
  },
];

export default pages;
