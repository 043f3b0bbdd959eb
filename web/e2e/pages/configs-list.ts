import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

let request: ApiRequest;

interface Tagged {
  etag: string;
  remark: string;
}

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})`) });

/** Opens the batch dialog for the filtered configs. */
async function openBatch(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /^(Choose all rows|选择本页)/ }).check();
  await page
    .getByRole('region', { name: /^(Chosen rows|已选的行)$/ })
    .getByRole('button', { name: /^(Change or delete|更改或删除)/ })
    .click();
  await page.getByRole('dialog').waitFor();
}

const document = JSON.stringify({
  exportedTime: '2026-01-31T09:30:00.000000Z',
  configs: [
    { key: 'batch.limits', value: { perDay: 20, perUser: 2 }, valueType: 'json' },
    { key: 'batch.name', value: 'Spring sale', valueType: 'string' },
    { key: 'batch.rate', value: 'a fifth', valueType: 'number' },
    { key: 'batch.new', value: true, valueType: 'boolean' },
  ],
});

const pages: PageUnderTest[] = [
  {
    name: 'configs-create',
    path: '/configs?prefix=batch.',
    prepare: async (send) => {
      request = send;
      await request('POST', '/configs', { key: 'batch.limits', value: { perDay: 10 }, valueType: 'json', remark: 'How much one day holds' });
      await request('POST', '/configs', { key: 'batch.name', value: 'Spring sale', remark: 'Shown on the page' });
      await request('POST', '/configs', { key: 'batch.rate', value: 0.2, remark: 'Standard rate', schema: { type: 'number', maximum: 1 } });
      await request('POST', '/configs', { key: 'batch.rate-reduced', value: 0.07 });
      await request('POST', '/configs', { key: 'batch.open', value: true });
    },
    reach: async (page) => {
      await button(page, 'New config', '新建配置').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: /^(Key|键)$/ }).fill('batch/rate');
      await dialog.getByRole('radiogroup').getByText('JSON').click();
      await dialog.getByRole('textbox', { name: /^(Value|值)$/ }).fill('{\n  "rate": 0.2,\n  reduced: 1\n}');
      await dialog.getByRole('textbox', { name: /^JSON Schema/ }).fill('[]');
      await button(page, 'Create the config', '创建配置').click();
      await dialog.getByText(/line 3, column 3|第 3 行第 3 列/).waitFor();
    },
  },
  {
    name: 'configs-create-exists',
    path: '/configs?prefix=batch.',
    reach: async (page) => {
      await button(page, 'New config', '新建配置').click();
      const dialog = page.getByRole('dialog');
      const fresh = dialog.getByRole('button', { name: /^(Start over|重新填写)$/ });
      if (await fresh.isVisible()) await fresh.click();
      await dialog.getByRole('textbox', { name: /^(Key|键)$/ }).fill('batch.rate');
      await button(page, 'Create the config', '创建配置').click();
      await dialog.getByText(/already exists; |已存在/).waitFor();
    },
  },
  {
    name: 'configs-batch',
    path: '/configs?prefix=batch.',
    reach: async (page) => {
      await openBatch(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').selectOption('number');
      await dialog.getByRole('textbox', { name: /^(New value|新值)$/ }).fill('0.19');
      await dialog.getByText(/2 rows will change|将更改 2 行/).waitFor();
    },
  },
  {
    name: 'configs-batch-conflict',
    path: '/configs?prefix=batch.rate',
    reach: async (page) => {
      await openBatch(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: /^(New value|新值)$/ }).fill('0.19');
      const { etag, remark } = await request<Tagged>('GET', '/configs/batch.rate');
      await request('PATCH', '/configs/batch.rate', { remark: remark === 'Old rate' ? 'Standard rate' : 'Old rate' }, { 'If-Match': etag });
      await dialog
        .getByText(/changed by .* since|已被/)
        .first()
        .waitFor();
      await dialog.locator('button[type=submit]').click();
      await dialog.getByText(/Nothing was changed|没有任何更改/).waitFor();
    },
  },
  {
    name: 'configs-import',
    path: '/configs?prefix=batch.',
    reach: async (page) => {
      await button(page, 'Import', '导入').click();
      await page.locator('input[type=file]').setInputFiles({ name: 'configs.json', mimeType: 'application/json', buffer: Buffer.from(document) });
      await page.getByText(/1 entry prevents the import|1 个条目有问题/).waitFor();
    },
  },
  {
    name: 'configs-import-unusable',
    path: '/configs?prefix=batch.',
    reach: async (page) => {
      await button(page, 'Import', '导入').click();
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'configs.json', mimeType: 'application/json', buffer: Buffer.from('{"configs": [\n  {"key": "a",}\n]}') });
      await page.getByText(/configs\.json:2/).waitFor();
    },
  },
  {
    name: 'configs-watch',
    path: '/configs?prefix=batch.',
    reach: async (page) => {
      await button(page, 'Watch', '监看').click();
      await page.getByText(/^(No changes missed|打开以来)/).waitFor();
      const { etag, remark } = await request<Tagged>('GET', '/configs/batch.open');
      await request('PATCH', '/configs/batch.open', { remark: remark === '' ? 'Whether the shop is open' : '' }, { 'If-Match': etag });
      await page
        .getByRole('list', { name: /^(Changes, newest first|变更，最新在前)$/ })
        .getByText('batch.open')
        .waitFor();
    },
  },
  { name: 'configs-none', path: '/configs?prefix=nothing.' },
];

export default pages;
