import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

const day = 86_400_000;
const at = (days: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + days * day).toISOString();
const terms = { name: 'Spring sale', kind: 'amount', value: 500, minimumAmount: 2000, total: 1000, perUser: 1, validFrom: at(-10), validTo: at(20) };

interface Made {
  id: number;
  etag: string;
}

/** The campaigns of these pages by name; created once for all looks. */
const ids = new Map<string, number>();
let ask: ApiRequest;

async function make(change: Partial<typeof terms> = {}): Promise<Made> {
  const made = await ask<Made>('POST', '/coupon-campaigns', { ...terms, ...change });
  ids.set(change.name ?? terms.name, made.id);
  return made;
}

const edit = async (id: number, patch: unknown) => {
  const { etag } = await ask<Made>('GET', `/coupon-campaigns/${id}`);
  await ask('PATCH', `/coupon-campaigns/${id}`, patch, { 'If-Match': etag });
};

const idOf = (page: Page) => Number(new URL(page.url()).pathname.split('/').at(-1));

/** The address of a campaign, whose id is only known after its creation. */
const pageOf = (name: string) => () => `/coupon-campaigns/${ids.get(name) ?? 0}`;

const shown = (name: string) => (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor();

const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const dialogButton = (page: Page, en: string, zh: string) => page.getByRole('dialog').getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });

const pages: PageUnderTest[] = [
  {
    name: 'campaigns-list',
    path: '/coupon-campaigns',
    prepare: async (request) => {
      ask = request;
      const spring = await make();
      await make({ name: 'Summer 20%', kind: 'percent', value: 20, validFrom: at(30), validTo: at(60) });
      await make({ name: 'Long over', total: 5, validFrom: at(-90), validTo: at(-60) });
      await make({ name: '双十一满减：新老用户同享', total: 2, perUser: 2, value: 8800, minimumAmount: 80_000 });
      await make({ name: 'Gone meanwhile' });
      await make({ name: 'Contested' });
      await request('POST', `/coupon-campaigns/${spring.id}/coupons`, { userIds: [12, 13, 14] });
      await request('POST', `/coupon-campaigns/${spring.id}/coupons`, { count: 120 });
      await edit(spring.id, { name: 'Spring sale', value: 600, total: 1200 });
      await request('POST', `/coupon-campaigns/${ids.get('双十一满减：新老用户同享') ?? 0}/coupons`, { count: 2 });
    },
    reach: async (page) => {
      await page.getByRole('link', { name: 'Spring sale' }).first().waitFor();
    },
  },
  { name: 'campaigns-no-match', path: '/coupon-campaigns?q=nothing-like-it' },
  {
    name: 'campaigns-create',
    path: '/coupon-campaigns',
    reach: async (page) => {
      await button(page, 'New campaign', '新建活动').first().click();
      await dialogButton(page, 'Create the campaign', '创建活动').click();
      await page.getByText(/Enter a name|请填写名称/).waitFor();
    },
  },
  { name: 'campaigns-missing', path: '/coupon-campaigns/999999' },
  { name: 'campaigns-detail', path: pageOf('Spring sale'), reach: shown('Spring sale') },
  {
    name: 'campaigns-history',
    path: pageOf('Spring sale'),
    reach: async (page) => {
      await shown('Spring sale')(page);
      await page.locator('ol li').first().scrollIntoViewIfNeeded();
      await page
        .locator('ol')
        .first()
        .evaluate((list) => list.scrollIntoView());
    },
  },
  {
    name: 'campaigns-edit',
    path: pageOf('Spring sale'),
    reach: async (page) => {
      await shown('Spring sale')(page);
      await page.getByRole('textbox', { name: /^(Name|名称)$/ }).fill('');
      await button(page, 'Save · v\\d+', '保存 · v\\d+').click();
      await page.getByText(/Enter a name|请填写名称/).waitFor();
      await button(page, 'Discard mine…', '放弃我的更改…').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'campaigns-conflict',
    path: pageOf('Contested'),
    reach: async (page) => {
      await shown('Contested')(page);
      const id = idOf(page);
      const { total } = await ask<{ total: number }>('GET', `/coupon-campaigns/${id}`);
      await page.getByRole('textbox', { name: /^(Total coupons|总数量)$/ }).fill(String(total + 7));
      await page.getByRole('combobox', { name: /^(Kind of discount|优惠方式)$/ }).selectOption('percent');
      await page.getByRole('textbox', { name: /^(Percent off|减免百分比)$/ }).fill('15');
      await edit(id, { total: total + 1, value: total, name: 'Contested' });
      await page.getByTitle(/When you save, you only|保存时只需处理/).waitFor();
      await button(page, 'Save · v\\d+', '保存 · v\\d+').click();
      await button(page, 'Save merged · v\\d+', '保存合并结果 · v\\d+').waitFor();
      await page.locator('[data-contested]').first().getByRole('button').last().click();
    },
  },
  {
    name: 'campaigns-gone',
    path: '/coupon-campaigns',
    reach: async (page) => {
      const { id, etag } = await make({ name: 'Gone meanwhile' });
      await page.goto(pageOf('Gone meanwhile')());
      await shown('Gone meanwhile')(page);
      await page.getByRole('textbox', { name: /^(Name|名称)$/ }).fill('Gone, but typed');
      await ask('DELETE', `/coupon-campaigns/${id}`, undefined, { 'If-Match': etag });
      await button(page, 'Recreate', '重新创建').waitFor();
    },
  },
  {
    name: 'campaigns-in-use',
    path: pageOf('Spring sale'),
    reach: async (page) => {
      await shown('Spring sale')(page);
      await button(page, 'Delete', '删除').click();
      await dialogButton(page, 'End the campaign now', '立即结束').waitFor();
    },
  },
  {
    name: 'campaigns-issue',
    path: pageOf('Spring sale'),
    reach: async (page) => {
      await shown('Spring sale')(page);
      await button(page, 'Issue coupons', '发放优惠券').click();
      await dialogButton(page, 'Issue coupons', '发放优惠券').click();
      await page.getByText(/Enter a whole number from 1|请填写 1 到/).waitFor();
    },
  },
  {
    name: 'campaigns-issue-list',
    path: pageOf('Spring sale'),
    reach: async (page) => {
      await shown('Spring sale')(page);
      await button(page, 'Issue to a list', '按列表发放').click();
      await page.getByRole('textbox', { name: /^(List|列表)$/ }).fill('12 13 901 李');
      await page.getByText(/3 rows will be sent|将发送 3 行/).waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Issue 3 coupons|发放 3 张优惠券)$/ })
        .click();
      await page
        .getByText(/has reached the limit per user|已达到每人上限/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'campaigns-issued',
    path: pageOf('Spring sale'),
    reach: async (page) => {
      await shown('Spring sale')(page);
      await button(page, 'Issue coupons', '发放优惠券').click();
      await page.getByRole('textbox', { name: /^(Number of coupons|数量)$/ }).fill('12');
      await dialogButton(page, 'Issue coupons', '发放优惠券').click();
      await button(page, 'Copy the codes', '复制券码').waitFor();
    },
  },
];

export default pages;
