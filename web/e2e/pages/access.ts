import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

const day = 86_400_000;

interface Made {
  id: number;
  etag: string;
}

let ask: ApiRequest;
let invitation = { path: '' };
/** Users and roles of these pages by kind and name; created once for all looks. */
const ids = new Map<string, number>();

const password = 'a long enough password';

async function role(name: string, permissions: readonly string[]): Promise<Made> {
  const made = await ask<Made>('POST', '/roles', { name, permissions });
  ids.set(`roles/${name}`, made.id);
  return made;
}

/** Notes the id of a ready-made role. */
async function readyRole(name: string): Promise<void> {
  const { items } = await ask<{ items: (Made & { name: string })[] }>('GET', `/roles?q=${name}`);
  ids.set(`roles/${name}`, items.find((found) => found.name === name)?.id ?? 0);
}

async function user(username: string, displayName: string, roles: readonly string[]): Promise<Made> {
  const made = await ask<Made>('POST', '/users', { username, displayName, password, roles });
  ids.set(`users/${username}`, made.id);
  return made;
}

const pathOf = (kind: 'users' | 'roles', name: string) => `/${kind}/${ids.get(`${kind}/${name}`) ?? 0}`;

/** The address of a record, whose id is only known after its creation. */
const pageOf = (kind: 'users' | 'roles', name: string) => () => pathOf(kind, name);

const edit = async (path: string, patch: unknown) => {
  const { etag } = await ask<Made>('GET', path);
  await ask('PATCH', path, patch, { 'If-Match': etag });
};

const shown = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const dialogButton = (page: Page, en: string, zh: string) => page.getByRole('dialog').getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
const tick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const save = (page: Page) => button(page, 'Save · v\\d+', '保存 · v\\d+');

const pages: PageUnderTest[] = [
  {
    name: 'users-detail',
    path: pageOf('users', 'wang.xiulan'),
    prepare: async (request) => {
      ask = request;
      await readyRole('support');
      await readyRole('auditor');
      await role('华东区夜班客服与退款审核', ['orders:read']);
      await role('contested', ['orders:read', 'items:read']);
      await role('empty', []);
      await user('wang.xiulan', '王秀兰', ['support', '华东区夜班客服与退款审核']);
      const gone = await user('former.employee', 'Former Employee', ['operator']);
      await user('contested', 'Contested', []);
      await ask('POST', `/users/${gone.id}/disable`);
      await edit(pathOf('users', 'wang.xiulan'), { displayName: '王秀兰', roles: { add: ['auditor'], remove: [] } });
      await ask('POST', '/tokens', { name: 'till', scopes: ['orders:*'] });
      await ask('POST', '/tokens', { name: 'Nightly export of orders to the warehouse', expiresTime: new Date(Date.now() + 5 * day).toISOString() });
      await ask('POST', '/tokens', {
        name: 'monitoring',
        scopes: ['queues:read', 'system:read', 'flash-sales:read', 'idempotency-keys:read', 'audit:read'],
        expiresTime: new Date(Date.now() + 365 * day).toISOString(),
      });
    },
    reach: async (page) => {
      await shown(page, '王秀兰');
      await page.locator('ol li').first().waitFor();
      await tick(page, 'support').waitFor();
    },
  },
  {
    name: 'users-create',
    path: '/users',
    reach: async (page) => {
      await button(page, 'New user', '新建用户').first().click();
      await page.getByRole('radio').last().check();
      await page.getByRole('dialog').locator('input[autocomplete=new-password]').fill('short');
      await dialogButton(page, 'Create the user', '创建用户').click();
      await page.getByText(/these are 5|现为 5 个/).waitFor();
    },
  },
  {
    name: 'users-invite',
    path: '/users',
    reach: async (page) => {
      await button(page, 'New user', '新建用户').first().click();
      await page.getByRole('radio').first().check();
      await page.getByRole('dialog').getByRole('textbox').first().fill(`guest${Date.now()}`);
      await dialogButton(page, 'Create the user', '创建用户').click();
      await page.locator('[data-secret]').waitFor();
    },
  },
  {
    name: 'invitation',
    path: () => invitation.path,
    prepare: async (request) => {
      ({ invitation } = await request<{ invitation: { path: string } }>('POST', '/users', { username: 'newcomer', displayName: 'Sun Qi' }));
    },
    reach: async (page) => {
      await page.locator('input[autocomplete=new-password]').first().fill('short');
      await button(page, 'Set the password and sign in', '设置密码并登录').click();
      await page.getByText(/these are 5|现为 5 个/).waitFor();
    },
  },
  {
    name: 'invitation-over',
    path: '/invitation',
    reach: async (page) => {
      await page.getByText(/This invitation is not valid|此邀请无效/).waitFor();
    },
  },
  {
    name: 'users-refused',
    path: '/users?q=admin',
    reach: async (page) => {
      await page.getByRole('link', { name: 'admin', exact: true }).first().click();
      await shown(page, 'admin');
      await tick(page, 'admin').uncheck();
      await save(page).click();
      await page.getByText(/No user who can sign in would have|将没有可登录的用户拥有/).waitFor();
    },
  },
  {
    name: 'users-conflict',
    path: pageOf('users', 'contested'),
    reach: async (page) => {
      await shown(page, 'Contested');
      await tick(page, 'support').check();
      await tick(page, 'auditor').check();
      await edit(pathOf('users', 'contested'), { roles: { add: ['support', 'empty'], remove: [] } });
      await page.getByTitle(/When you save, you only|保存时只需处理/).waitFor();
      await save(page).click();
      await button(page, 'Save merged · v\\d+', '保存合并结果 · v\\d+').waitFor();
    },
  },
  {
    name: 'users-disable',
    path: pageOf('users', 'wang.xiulan'),
    reach: async (page) => {
      await shown(page, '王秀兰');
      await button(page, 'Disable', '停用').click();
      await dialogButton(page, 'Disable', '停用').waitFor();
    },
  },
  {
    name: 'users-reset',
    path: pageOf('users', 'wang.xiulan'),
    reach: async (page) => {
      await shown(page, '王秀兰');
      await button(page, 'Reset password', '重置密码').click();
      await dialogButton(page, 'Set the password', '设置密码').waitFor();
    },
  },
  {
    name: 'roles-detail',
    path: pageOf('roles', 'support'),
    reach: async (page) => {
      await shown(page, 'support');
      await tick(page, 'coupons:read').uncheck();
      await tick(page, 'coupons:write').check();
      await page.locator('ol li').first().waitFor();
    },
  },
  {
    name: 'roles-conflict',
    path: pageOf('roles', 'contested'),
    reach: async (page) => {
      await shown(page, 'contested');
      const path = pathOf('roles', 'contested');
      const { permissions } = await ask<{ permissions: string[] }>('GET', path);
      const isIn = permissions.includes('audit:read');
      await tick(page, 'audit:read').setChecked(!isIn);
      await tick(page, 'wallets:read').setChecked(!permissions.includes('wallets:read'));
      await edit(path, { permissions: isIn ? { remove: ['audit:read', 'items:read'] } : { add: ['audit:read', 'items:read'] } });
      await page.getByTitle(/When you save, you only|保存时只需处理/).waitFor();
      await save(page).click();
      await button(page, 'Save merged · v\\d+', '保存合并结果 · v\\d+').waitFor();
    },
  },
  {
    name: 'roles-in-use',
    path: pageOf('roles', 'auditor'),
    reach: async (page) => {
      await shown(page, 'auditor');
      await button(page, 'Delete', '删除').click();
      await dialogButton(page, 'Delete', '删除').click();
      await button(page, 'Show users with this role', '查看拥有此角色的用户').waitFor();
    },
  },
  {
    name: 'roles-gone',
    path: '/roles',
    reach: async (page) => {
      const { id, etag } = await role('short-lived', ['orders:read']);
      await page.goto(`/roles/${id}`);
      await shown(page, 'short-lived');
      await tick(page, 'orders:write').check();
      await ask('DELETE', `/roles/${id}`, undefined, { 'If-Match': etag });
      await button(page, 'Recreate', '重新创建').waitFor();
    },
  },
  {
    name: 'tokens-open',
    path: '/tokens?q=monitoring',
    reach: async (page) => {
      await page.getByRole('cell', { name: 'monitoring' }).click();
      await page.getByRole('dialog').getByText('system:read').waitFor();
    },
  },
  {
    name: 'tokens-create',
    path: '/tokens',
    reach: async (page) => {
      await button(page, 'New token', '新建令牌').first().click();
      await dialogButton(page, 'Create the token', '创建令牌').click();
      await page.getByText(/Enter a name|请填写名称/).waitFor();
    },
  },
  {
    name: 'tokens-secret',
    path: '/tokens',
    reach: async (page) => {
      await button(page, 'New token', '新建令牌').first().click();
      await page.getByRole('dialog').getByRole('textbox').first().fill('till 2');
      await page.getByRole('radio').last().check();
      await dialogButton(page, 'Create the token', '创建令牌').click();
      await page.locator('[data-secret]').waitFor();
    },
  },
  {
    name: 'account',
    path: '/account',
    reach: async (page) => {
      await page.getByRole('listitem').getByText('127.0.0.1').first().waitFor();
      await page.getByRole('textbox').first().fill('Admin of the shop');
    },
  },
  {
    name: 'account-conflict',
    path: '/account',
    reach: async (page) => {
      await page.getByRole('textbox').first().fill('Yu Ming');
      const { id, displayName } = await ask<{ id: number; displayName: string }>('GET', '/me');
      await edit(`/users/${id}`, { displayName: displayName === 'Admin' ? 'Admin 1' : 'Admin' });
      await save(page).click();
      await button(page, 'Save merged · v\\d+', '保存合并结果 · v\\d+').waitFor();
    },
  },
  {
    name: 'account-password',
    path: '/account',
    reach: async (page) => {
      await button(page, 'Change password', '更改密码').click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('input[autocomplete=current-password]').fill('not this one at all');
      for (const one of await dialog.locator('input[autocomplete=new-password]').all()) await one.fill('a long enough password');
      await dialogButton(page, 'Change password', '更改密码').click();
      await page.getByText(/This is not your password|这不是你的密码/).waitFor();
    },
  },
  {
    name: 'account-end-others',
    path: '/account',
    reach: async (page) => {
      await button(page, 'Sign out everywhere else', '在其他所有位置退出登录').click();
      await dialogButton(page, 'Sign out everywhere else', '在其他所有位置退出登录').waitFor();
    },
  },
];

export default pages;
