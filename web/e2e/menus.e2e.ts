// Proves G7.30.

import type { Visitor } from './browser';
import { admin } from './service';
import { expect, nightly, tenantSite, test } from './site';

interface Menu {
  id: number;
  parentId: number | null;
  position: number;
  title: string;
  path: string;
  hidden: boolean;
  etag: string;
  version: number;
}

const site = tenantSite();

const menus = async () => (await site.request<{ items: Menu[] }>('GET', '/menus')).items;
const menuNow = (id: number) => site.request<Menu>('GET', `/menus/${id}`);
const make = (terms: Partial<Menu>) => site.request<Menu>('POST', '/menus', terms);
const under = async (parentId: number | null) => (await menus()).filter((menu) => menu.parentId === parentId).map(({ title, path }) => title || path);

const grip = ({ page }: Visitor, name: string) => page.getByRole('button', { name: `Move “${name}”`, exact: true });
const row = ({ page }: Visitor, id: number) => page.locator(`li[data-menu="${id}"]`);
const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialogButton = ({ page }: Visitor, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const field = ({ page }: Visitor, name: string) => page.getByRole('textbox', { name, exact: true });
const navigation = ({ page }: Visitor) => page.getByRole('navigation', { name: 'Pages' });
const shown = async (visitor: Visitor) => (await navigation(visitor).locator('h2, a').allInnerTexts()).map((text) => text.split('\n')[0]?.toLowerCase());

/** Runs an action of a row; first closes the toasts, which cover the list of actions. */
async function act(visitor: Visitor, name: string, action: string): Promise<void> {
  for (const toast of await visitor.page.locator('[role=alert]').getByRole('button', { name: 'Close' }).all()) await toast.click();
  await button(visitor, `Actions for “${name}”`).click();
  await visitor.page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('the menus of a new tenant equal the default navigation', async () => {
  const visitor = await site.open();
  let isCut = true;
  await visitor.page.route('**/api/v1/menus', (route) => (isCut ? route.abort() : route.continue()));
  await visitor.signIn(admin, '/');
  await navigation(visitor).getByRole('link', { name: 'Menus' }).waitFor();
  const own = await shown(visitor);
  isCut = false;
  const menusRead = visitor.page.waitForResponse(/api\/v1\/menus$/);
  await visitor.page.reload();
  await menusRead;
  await navigation(visitor).getByRole('link', { name: 'Menus' }).waitFor();
  await expect.poll(() => visitor.page.evaluate(() => Object.keys(localStorage).some((name) => name.startsWith('interlock.navigation.')))).toBe(true);

  expect(await shown(visitor)).toEqual(own);
});

nightly('a menu is moved by keyboard and pointer, also in another browser', async () => {
  const [first, second] = await site.two('/menus');
  const group = await make({ title: 'Returns' });
  const desk = await make({ title: 'Desk', path: '/orders?status=shipped' });
  await navigation(second).getByRole('link', { name: 'Desk' }).waitFor();

  await grip(first, 'Desk').focus();
  await first.page.keyboard.press('ArrowRight');
  await first.page.getByText('“Desk” is now below “Returns”, position 1.').first().waitFor();
  expect(await menuNow(desk.id)).toMatchObject({ parentId: group.id, position: 0, version: 2 });
  await navigation(second).getByRole('heading', { name: 'Returns' }).waitFor();
  await expect.poll(() => grip(first, 'Desk').evaluate((element) => element === document.activeElement)).toBe(true);
  await first.page.keyboard.press('ArrowLeft');
  await first.page.getByText(/“Desk” is now at the top level, position 6/).waitFor();
  await expect.poll(() => navigation(second).getByRole('heading', { name: 'Returns' }).count()).toBe(0);
  await first.page.keyboard.press('ArrowUp');
  await first.page.getByText(/“Desk” is now at the top level, position 5/).waitFor();
  expect((await under(null)).slice(-2)).toEqual(['Desk', 'Returns']);

  const place = (await row(first, group.id).boundingBox()) ?? { height: 0 };
  await grip(first, 'Desk').dragTo(row(first, group.id), { targetPosition: { x: 200, y: place.height / 2 } });
  await expect.poll(async () => (await menuNow(desk.id)).parentId).toBe(group.id);
  // The move starts from the position that this page shows.
  await navigation(first).getByRole('heading', { name: 'Returns' }).waitFor();
  await act(first, 'Returns', 'Move up');
  await expect.poll(async () => (await under(null)).slice(-2)).toEqual(['Returns', 'Inspect']);
  await expect
    .poll(async () => {
      const all = await shown(second);
      return all.slice(0, all.indexOf('inspect')).slice(-2);
    })
    .toEqual(['returns', 'desk']);

  await navigation(second).getByRole('link', { name: 'Desk' }).click();
  await expect.poll(() => new URL(second.page.url()).search).toContain('shipped');
  await second.page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await first.check();
});

test('concurrent menu moves conflict, and a cycle is rejected', async () => {
  const [a, b] = [await make({ title: 'East' }), await make({ title: 'West' })];
  const [first, second] = await site.two('/menus');
  await grip(first, 'West').waitFor();
  await grip(second, 'West').waitFor();
  // The second admin's page is outdated: it receives no update before their action.
  await second.page.route('**/api/v1/menus', (route) => route.abort());
  await grip(first, 'West').focus();
  await first.page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await menuNow(b.id)).parentId).toBe(a.id);
  await grip(second, 'West').focus();
  await second.page.keyboard.press('ArrowUp');
  await second.page.getByText('admin has moved “West”, so your move was not applied.').waitFor();
  expect((await menuNow(b.id)).parentId).toBe(a.id);
  await second.page.unroute('**/api/v1/menus');
  await site.request('POST', `/menus/${b.id}/move`, { parentId: null });

  const moves = await Promise.allSettled([
    site.request('POST', `/menus/${a.id}/move`, { parentId: b.id }),
    site.asLi('POST', `/menus/${b.id}/move`, { parentId: a.id }),
  ]);
  expect(moves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect.poll(async () => [(await under(a.id)).length, (await under(b.id)).length].sort()).toEqual([0, 1]);
});

test('edits of one menu merge, except of the same field', async () => {
  const { id } = await make({ title: 'Counter', path: '/orders' });
  const [first, second] = await site.two(`/menus/${id}`);
  await field(first, 'Title').fill('Front desk');
  await second.page.getByLabel('Hide it with all menus below it').check();
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await menuNow(id)).version).toBe(2);
  await button(first, /^Save · v/).click();
  await first.page.getByText('Saved and merged with Li’s change to In the navigation.').waitFor();
  expect(await menuNow(id)).toMatchObject({ version: 3, title: 'Front desk', hidden: true });

  await second.page
    .getByText(/saved v3/)
    .first()
    .waitFor();
  await field(first, 'Title').fill('Service desk');
  await field(second, 'Title').fill('Help desk');
  await button(second, /^Save · v/).click();
  await expect.poll(async () => (await menuNow(id)).version).toBe(4);
  await button(first, /^Save · v/).click();
  const contested = first.page.getByRole('group', { name: 'Title' });
  await contested.waitFor();
  await first.check('menu-contested');
  await contested.getByRole('button', { name: 'Keep yours for Title' }).click();
  await button(first, 'Save merged · v5').click();
  await expect.poll(async () => (await menuNow(id)).title).toBe('Service desk');
});

nightly('a menu is created, hidden, deleted and recreated, but not with children', async () => {
  const visitor = await site.enter('/menus');
  const { page } = visitor;
  await button(visitor, 'New menu').click();
  await dialogButton(visitor, 'Create the menu').click();
  await page.getByText('Enter a title. Only pages of this admin have a default name.').waitFor();
  await field(visitor, 'Title').fill('Stock room');
  await page.getByRole('dialog').getByLabel('Target').fill('//elsewhere.example');
  await dialogButton(visitor, 'Create the menu').click();
  await page.getByText(/^A path starts with one \//).waitFor();
  await page.getByRole('dialog').getByLabel('Target').fill('/inventory?low=true');
  await dialogButton(visitor, 'Create the menu').click();
  await navigation(visitor).getByRole('link', { name: 'Stock room' }).waitFor();

  await act(visitor, 'Stock room', 'Hide');
  await expect.poll(() => navigation(visitor).getByRole('link', { name: 'Stock room' }).count()).toBe(0);
  await act(visitor, 'Stock room', 'Delete');
  await dialogButton(visitor, 'Delete').click();
  await page.getByText('The menu “Stock room” was deleted.').waitFor();
  await button(visitor, 'Undo').last().click();
  await page.getByText('The menu “Stock room” was created again with a new number.').waitFor();
  await act(visitor, 'Sell', 'Delete');
  await dialogButton(visitor, 'Delete').click();
  await page.getByText('“Sell” has menus below it, so it was not deleted. Move or delete them first.').waitFor();

  await act(visitor, 'Wallets', 'Delete');
  await dialogButton(visitor, 'Delete').click();
  await button(visitor, 'Add “Wallets”').click();
  await navigation(visitor).getByRole('link', { name: 'Wallets' }).waitFor();
});

test('a navigation contains only permitted pages, also without menu permission', async () => {
  await site.request('POST', '/roles', { name: 'clerk', permissions: ['orders:read'] });
  const password = 'a long enough password';
  await site.request('POST', '/users', { username: 'clerk', password, roles: ['clerk'] });
  const visitor = await site.open();
  await visitor.signIn({ username: 'clerk', password }, '/');
  await expect
    .poll(async () => (await shown(visitor)).filter((text) => ['dashboard', 'orders', 'configs', 'menus'].includes(text ?? '')))
    .toEqual(['dashboard', 'orders']);
  await make({ title: 'Paid orders', path: '/orders?status=paid', permission: 'orders:read' } as Partial<Menu>);
  await navigation(visitor).getByRole('link', { name: 'Paid orders' }).waitFor();
  await visitor.page.goto(`${site.address}/menus`);
  await visitor.page.getByText(/requires the permission menus:read/).waitFor();
});
