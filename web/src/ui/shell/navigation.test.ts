import { expect, test } from 'vitest';
import type { Menu } from '@/api';
import type { PageInfo } from '../page';
import { navigationFrom, defaultNavigation, pageAt, partsOf, titleOf, type NavigationNode } from './navigation';

const menu = (id: number, parentId: number | null, terms: Partial<Menu>): Menu =>
  ({ id, parentId, title: '', path: '', icon: '', permission: '', hidden: false, ...terms }) as Menu;

const page = (en: string, zh: string, permission: string | undefined, order: number): PageInfo & { navigation: NonNullable<PageInfo['navigation']> } => ({
  title: { en, zh },
  permission,
  navigation: { group: 'operate', order, icon: 'bag' },
});

const pages = [
  { to: '/', page: page('Dashboard', '仪表盘', undefined, 0) },
  { to: '/orders/', page: page('Orders', '订单', 'orders:read', 1) },
];

const outline = (nodes: readonly NavigationNode[]): unknown[] =>
  nodes.map(({ title, below }) => (below.length === 0 ? title.zh : [title.zh, ...outline(below)]));
const may = (permission: string | undefined) => permission !== 'configs:read';

test('menus keep their order, and untitled pages have default titles', () => {
  const menus = [
    menu(1, null, { title: 'Operate' }),
    menu(2, 1, { path: '/' }),
    menu(3, 1, { path: '/orders?status=paid', title: 'Paid' }),
    menu(4, 3, { path: '/orders' }),
    menu(5, null, { title: 'Mine', path: 'https://example.com' }),
  ];
  const drawn = navigationFrom(menus, pages, may);
  expect(outline(drawn)).toEqual([['运营', '仪表盘', ['Paid', '订单']], 'Mine']);
  expect(drawn[0]?.below[1]).toMatchObject({ to: '/orders?status=paid', icon: 'bag' });
  expect(drawn[1]).toMatchObject({ to: 'https://example.com', icon: undefined });
});

test('hidden, forbidden and empty menus are omitted with their children', () => {
  const menus = [
    menu(1, null, { title: 'Hidden', hidden: true }),
    menu(2, 1, { path: '/' }),
    menu(3, null, { title: 'Of a permission', permission: 'configs:read' }),
    menu(4, 3, { path: '/' }),
    menu(5, null, { title: 'Empty' }),
    menu(6, 5, { title: 'Empty too' }),
    menu(7, null, { path: '/orders' }),
    menu(8, null, { path: '/configs', title: 'Configs', permission: 'configs:read' }),
  ];
  expect(outline(navigationFrom(menus, pages, may))).toEqual(['订单']);
  expect(outline(navigationFrom(menus, pages, (permission) => permission !== 'orders:read'))).toEqual([['Of a permission', '仪表盘'], 'Configs']);
});

test('a custom title is the same in every language', () => {
  expect(titleOf('Govern')).toEqual({ en: 'Govern', zh: '治理' });
  expect(titleOf('治理部')).toEqual({ en: '治理部', zh: '治理部' });
});

test('a path with filters or a trailing slash leads to its page', () => {
  expect(['/orders', '/orders/', '/orders?status=paid', '/orders/#top', '/'].map((path) => pageAt(path, pages)?.title.en)).toEqual([
    'Orders',
    'Orders',
    'Orders',
    'Orders',
    'Dashboard',
  ]);
  expect(pageAt('/orders/7', pages)).toBeUndefined();
});

test('top-level entries are together, each group under its heading', () => {
  const nodes = [...defaultNavigation(pages), ...navigationFrom([menu(1, null, { path: '/' }), menu(2, null, { path: '/orders' })], pages, may)];
  expect(partsOf(nodes).map(({ heading, entries }) => [heading?.title.en, entries.length])).toEqual([
    ['Operate', 2],
    [undefined, 2],
  ]);
});
