import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

interface Made {
  id: number;
  etag: string;
}

let ask: ApiRequest;
/** The menus of these pages by name. */
const ids = new Map<string, number>();

async function menu(name: string, terms: Readonly<Record<string, unknown>>): Promise<number> {
  const { id } = await ask<Made>('POST', '/menus', terms);
  ids.set(name, id);
  return id;
}

const pageOf = (name: string) => () => `/menus/${ids.get(name) ?? 0}`;
const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const title = (page: Page) => page.locator('[data-field=title]').first();

const pages: PageUnderTest[] = [
  {
    name: 'menus-detail',
    path: pageOf('desk'),
    prepare: async (request) => {
      ask = request;
      const group = await menu('group', { title: '售后与退换货中心', position: 4 });
      const desk = await menu('desk', { title: 'Returns desk', path: '/orders?status=shipped', permission: 'orders:read', parentId: group });
      await menu('manual', { title: 'Manual of the warehouse', path: 'https://example.com/manual', icon: 'info', parentId: desk });
      await menu('later', { title: 'Not yet', hidden: true, parentId: group });
      await menu('contested', { title: 'Contested', hidden: true, parentId: group });
    },
    reach: async (page) => {
      await page.locator('ol li').first().waitFor();
    },
  },
  {
    name: 'menus-actions',
    path: '/menus',
    reach: async (page) => {
      await page.getByRole('button', { name: /“Returns desk”的操作|Actions for “Returns desk”/ }).click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'menus-create',
    path: '/menus',
    reach: async (page) => {
      await button(page, 'New menu', '新建菜单').click();
      await page.getByRole('dialog').locator('[data-field=path]').first().fill('//elsewhere');
      await button(page, 'Create the menu', '创建菜单').click();
      await page.getByText(/A path starts with one|路径以一个/).waitFor();
    },
  },
  {
    name: 'menus-conflict',
    path: pageOf('contested'),
    reach: async (page) => {
      const path = pageOf('contested')();
      const { etag } = await ask<Made>('GET', path);
      await title(page).fill('Mine');
      await ask('PATCH', path, { title: `Theirs ${etag}` }, { 'If-Match': etag });
      await page.getByTitle(/When you save, you only|保存时只需处理/).waitFor();
      await button(page, 'Save · v\\d+', '保存 · v\\d+').click();
      await button(page, 'Save merged · v\\d+', '保存合并结果 · v\\d+').waitFor();
    },
  },
];

export default pages;
