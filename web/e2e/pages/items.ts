import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

let ask: ApiRequest;

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const name = (page: Page) => page.getByRole('textbox', { name: /^(Name|名称)$/ });

const pages: PageUnderTest[] = [
  {
    name: 'items-list',
    path: '/items?sort=sku',
    prepare: async (request) => {
      ask = request;
      await request('POST', '/items', { sku: 'OOLONG-100', name: 'Oolong, 100 g', price: 6800 });
      await request('POST', '/items', { sku: 'PU-ER-2019', name: '普洱熟茶 2019 年老班章古树茶饼', price: 128_000, status: 'archived' });
      await request('POST', '/items', { sku: 'CONTESTED-1', name: 'Contested', price: 1000 });
    },
    reach: async (page) => {
      await page.getByText('OOLONG-100').first().waitFor();
    },
  },
  { name: 'items-no-match', path: '/items?q=nothing-like-it' },
  {
    name: 'items-create',
    path: '/items',
    reach: async (page) => {
      await button(page, 'New item', '新建商品').first().click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Create the item|创建商品)$/ })
        .click();
      await page.getByText(/Enter a name|请填写名称/).waitFor();
    },
  },
  {
    name: 'items-edit-many',
    path: '/items?sort=sku&q=o',
    reach: async (page) => {
      await page.getByRole('checkbox', { name: /^(Choose all rows|选择本页)/ }).check();
      await page
        .getByRole('region', { name: /^(Chosen rows|已选的行)$/ })
        .getByRole('button', { name: /^(Edit|编辑)…$/ })
        .click();
      await page
        .getByRole('dialog')
        .getByRole('combobox')
        .selectOption({ label: (await page.getByText('Change the price by percent').count()) > 0 ? 'Change the price by percent' : '按比例调价' });
      await page
        .getByRole('dialog')
        .getByRole('textbox', { name: /^(Percent|调整百分比)$/ })
        .fill('10');
      await page.getByRole('dialog').locator('ins').first().waitFor();
    },
  },
  {
    name: 'items-import',
    path: '/items',
    reach: async (page) => {
      await button(page, 'Import', '导入').click();
      await page.getByRole('textbox', { name: /^(Table|表格)$/ }).fill('OOLONG-100\tOolong, 100 g\t68.50\nNEW-1\tCup\t9.00\nNEW-2\tNo price\t');
      await button(page, 'Apply', '应用').click();
      await page.getByText(/2 rows will be sent|将发送 2 行/).waitFor();
    },
  },
  { name: 'items-missing', path: '/items/NOTHING' },
  {
    name: 'items-detail',
    path: '/items/OOLONG-100',
    reach: async (page) => {
      await page.locator('ol li').first().waitFor();
    },
  },
  {
    name: 'items-conflict',
    path: '/items/CONTESTED-1',
    reach: async (page) => {
      const { etag, version } = await ask<{ etag: string; version: number }>('GET', '/items/CONTESTED-1');
      await name(page).fill('What I typed');
      await ask('PATCH', '/items/CONTESTED-1', { name: `What somebody else typed in version ${version + 1}` }, { 'If-Match': etag });
      await page.getByTitle(/When you save, you only|保存时只需处理/).waitFor();
      await button(page, 'Save · v\\d+', '保存 · v\\d+').click();
      await button(page, 'Save merged · v\\d+', '保存合并结果 · v\\d+').waitFor();
    },
  },
  {
    name: 'items-archive',
    path: '/items/OOLONG-100',
    reach: async (page) => {
      await button(page, 'Archive', '归档').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'items-gone',
    path: '/items',
    reach: async (page) => {
      const { etag } = await ask<{ etag: string }>('POST', '/items', { sku: 'SHORT-LIVED', name: 'Short-lived', price: 100 });
      await page.goto('/items/SHORT-LIVED');
      await name(page).fill('Gone, but typed');
      await ask('DELETE', '/items/SHORT-LIVED', undefined, { 'If-Match': etag });
      await button(page, 'Recreate', '重新创建').waitFor();
    },
  },
];

export default pages;
