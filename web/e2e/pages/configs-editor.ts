import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

let request: ApiRequest;
let raised = 3000;

const edit = async (key: string, patch: unknown) => {
  const { etag } = await request<{ etag: string }>('GET', `/configs/${key}`);
  await request('PATCH', `/configs/${key}`, patch, { 'If-Match': etag });
};

const form = (page: Page) => page.locator('form[aria-label]');
async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').first().click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

const payment = { timeoutMs: 3000, retries: 2, methods: ['card', 'wallet'] };

const pages: PageUnderTest[] = [
  {
    name: 'config',
    path: '/configs/editor.tax',
    prepare: async (api) => {
      request = api;
      await request('POST', '/configs', { key: 'editor.tax', valueType: 'number', value: 0.19, remark: 'Rate of the general VAT' });
      await edit('editor.tax', { value: 0.21 });
    },
    reach: async (page) => {
      await form(page).locator('input[inputmode=decimal]').fill('0.23');
    },
  },
  {
    name: 'config-json',
    path: '/configs/editor.payment',
    prepare: async (api) => {
      const schema = { type: 'object', properties: { retries: { type: 'integer', maximum: 9 } } };
      await api('POST', '/configs', { key: 'editor.payment', valueType: 'json', value: payment, schema, remark: 'How checkout asks for money' });
    },
    reach: async (page) => {
      await write(page, '{\n  "timeoutMs": 3000,\n  "retries": 10\n}');
      await form(page).locator('button[type=submit]').click();
      await page.locator('[data-invalid]').waitFor();
    },
  },
  {
    name: 'config-conflict',
    path: '/configs/editor.contested',
    prepare: async (api) => {
      await api('POST', '/configs', { key: 'editor.contested', valueType: 'json', value: payment, remark: '' });
    },
    reach: async (page) => {
      raised += 1000;
      const mine = { timeoutMs: 500, retries: raised / 1000, methods: ['card', 'wallet', 'alipay'] };
      await write(page, JSON.stringify(mine, null, 2));
      await edit('editor.contested', { value: { timeoutMs: raised, methods: ['card', 'wallet', `paypal-${raised}`] }, remark: `Raised to ${raised}` });
      await form(page).locator('button[type=submit]').click();
      const contested = page.locator('[data-contested]');
      await contested.first().waitFor();
      await contested.first().getByRole('button').last().click();
      await contested.first().locator('[data-chosen]').waitFor();
    },
  },
  {
    name: 'config-history',
    path: '/configs/editor.rates?tab=history&from=1',
    prepare: async (api) => {
      const rates = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`rate${i}`, i]));
      await api('POST', '/configs', { key: 'editor.rates', valueType: 'json', value: rates });
      request = api;
      await edit('editor.rates', { value: { rate7: 70, further: ['one', 'two'] }, remark: 'More of them' });
    },
    reach: async (page) => {
      await page.locator('.cm-editor').first().waitFor();
    },
  },
  {
    name: 'config-deleted',
    path: '/configs/editor.gone',
    reach: async (page) => {
      await request('POST', '/configs', { key: 'editor.gone', valueType: 'string', value: 'Welcome' });
      await page.reload();
      await form(page).locator('textarea').first().fill('Welcome back, with a text that nobody has saved yet');
      const { etag } = await request<{ etag: string }>('GET', '/configs/editor.gone');
      await request('DELETE', '/configs/editor.gone', undefined, { 'If-Match': etag });
      await page.locator('[role=alert]').first().waitFor();
    },
  },
];

export default pages;
