import type { Visitor } from './browser';
import { admin } from './service';
import { expect, nightly, type Site, tenantSite, test } from './site';

const site: Site = tenantSite(async () => {
  await site.request('POST', '/items', { sku: 'GONE-1', name: 'Cup', price: 900, ownedByUserId: 'li' });
  for (const key of ['gone.raced', 'gone.seen', 'gone.a', 'gone.b'])
    await site.request('POST', '/configs', { key, value: { rate: '12345678901234567890' }, valueType: 'json', remark: key });
});

interface Tagged {
  etag: string;
  version: number;
}
const tagOf = async (path: string) => (await site.request<Tagged>('GET', path)).etag;
const remove = async (path: string) => site.request('DELETE', path, undefined, { 'If-Match': await tagOf(path) });
const drawerOf = ({ page }: Visitor) => page.getByRole('dialog', { name: 'A deleted record' });
const open = async (visitor: Visitor, name: string) => {
  await visitor.page
    .getByRole('row', { name: new RegExp(name) })
    .getByRole('button', { name: 'Restore…' })
    .click();
  await drawerOf(visitor).getByRole('button', { name: 'Restore', exact: true }).waitFor();
};
const restore = (visitor: Visitor) => drawerOf(visitor).getByRole('button', { name: 'Restore', exact: true }).click();

test('a deleted record shows who deleted it, and is recreated unchanged', async () => {
  const visitor = await site.enter('/items/GONE-1');
  const { page } = visitor;
  await page.getByRole('button', { name: /^Delete/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await page.waitForURL(/\/items$/);
  await page.reload();

  await page.getByRole('link', { name: 'Deleted', exact: true }).click();
  await page.waitForURL('**/deleted?kind=items');
  await open(visitor, 'GONE-1');
  await drawerOf(visitor).getByText('¥9.00').waitFor();
  await visitor.check('deleted-item');
  await restore(visitor);

  await page.getByText('GONE-1 was restored.').waitFor();
  expect(await site.request('GET', '/items/GONE-1')).toMatchObject({ name: 'Cup', price: 900, ownedByUserId: 'li', version: 1 });
  await drawerOf(visitor)
    .getByText(/^You created GONE-1 again/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('row', { name: /GONE-1/ })
    .getByText('Exists again')
    .waitFor();
  await visitor.check();
});

test('a recreation by another admin is shown and not overwritten', async () => {
  await remove('/configs/gone.seen');
  const [first, second] = await site.two('/deleted?kind=configs');
  await open(first, 'gone.seen');
  await open(second, 'gone.seen');
  await restore(second);
  await second.page.getByText('gone.seen was restored.').waitFor();

  await drawerOf(first)
    .getByText(/^Li created gone\.seen again/)
    .waitFor();
  expect(await drawerOf(first).getByRole('button', { name: 'Restore', exact: true }).count()).toBe(0);
  await first.check();
  await drawerOf(first).getByRole('link', { name: 'Open the record' }).click();
  await first.page.waitForURL('**/configs/gone.seen');
});

nightly('without the stream a recreated record is reported at the restore', async () => {
  await remove('/configs/gone.raced');
  const visitor = await site.enter('/deleted?kind=configs', admin, { withoutStream: true });
  const { page } = visitor;
  await open(visitor, 'gone.raced');
  await site.asLi('POST', '/configs', { key: 'gone.raced', value: 'theirs', valueType: 'string', remark: '' });
  // Simulates a creation immediately after the first check.
  const missing = { status: 404, contentType: 'application/problem+json', json: { code: 'not_found', title: 'Not found', status: 404 } };
  await page.route('**/api/v1/configs/gone.raced', (route) => route.fulfill(missing), { times: 1 });
  const refused = page.waitForResponse((response) => response.request().method() === 'POST' && response.status() === 409);
  await restore(visitor);
  await refused;
  await drawerOf(visitor)
    .getByText(/^Li created gone\.raced again/)
    .waitFor();
  expect(await site.request('GET', '/configs/gone.raced')).toMatchObject({ value: 'theirs', version: 1 });
  await visitor.check();
});

nightly('configs deleted in one batch are listed singly, with audit links', async () => {
  const changes: object[] = [];
  for (const key of ['gone.a', 'gone.b']) changes.push({ op: 'delete', key, etag: await tagOf(`/configs/${key}`) });
  await site.request('POST', '/config-batches', { changes, note: 'Spring cleaning' });
  const visitor = await site.enter('/audit-log?action=config.batch');
  const { page } = visitor;
  await page
    .getByRole('row', { name: /changed configs together/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Show in deleted records' }).click();
  await drawerOf(visitor).getByText('Spring cleaning').waitFor();
  await restore(visitor);
  await page.getByText('gone.a was restored.').waitFor();
  expect(await site.request('GET', '/configs/gone.a')).toMatchObject({ value: { rate: '12345678901234567890' }, remark: 'gone.a' });
  await page.keyboard.press('Escape');
  await page
    .getByRole('row', { name: /gone\.b/ })
    .getByRole('button', { name: 'Restore…' })
    .waitFor();
});

nightly('roles, menus, campaigns and draft sales are restored, and used names reported', async () => {
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const terms = { name: 'Spring', kind: 'amount', value: 500, minimumAmount: 2000, total: 10, perUser: 1, validFrom: from, validTo: to };
  const draft = { name: 'Noon', sku: 'GONE-1', price: 990, quantity: 4, perUserLimit: 1, startsTime: from, endsTime: to };
  const made = [
    ['/roles', { name: 'Night shift', permissions: ['orders:read'] }, 'Night shift'],
    ['/menus', { title: 'Handbook', path: 'https://example.com/handbook', icon: '', permission: '', hidden: false }, 'Handbook'],
    ['/coupon-campaigns', terms, 'Spring'],
    ['/flash-sales', draft, 'Noon'],
  ] as const;
  const visitor = await site.enter('/deleted');
  const { page } = visitor;
  for (const [path, body, name] of made) {
    const { id } = await site.request<{ id: number }>('POST', path, body);
    await remove(`${path}/${id}`);
    await visitor.visit('/deleted');
    await open(visitor, name);
    await restore(visitor);
    await page.getByText(`${name} was restored.`).waitFor();
    const { items } = await site.request<{ items: ({ id: number } & Record<string, unknown>)[] }>('GET', path);
    const again = items.find((one) => one.name === name || one.title === name);
    expect(again).toMatchObject(path === '/roles' || path === '/menus' ? body : { name });
    expect(again?.id).toBeGreaterThan(id);
  }

  const { id } = await site.request<{ id: number }>('POST', '/coupon-campaigns', { ...terms, name: 'Autumn' });
  await remove(`/coupon-campaigns/${id}`);
  await visitor.visit('/deleted?kind=coupon-campaigns');
  await open(visitor, 'Autumn');
  await site.asLi('POST', '/coupon-campaigns', { ...terms, name: 'Autumn' });
  await drawerOf(visitor)
    .getByText(/^Li created another record with this name/)
    .waitFor();
  await drawerOf(visitor).getByRole('button', { name: 'Restore anyway' }).waitFor();
  await visitor.check();
});
