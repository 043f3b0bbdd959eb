import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import type { ApiRequest } from './pages';
import { expect, nightly, serviceSite, test } from './site';

/**
 * Stores the pictures of the README into e2e/report. The test fails if a page shows other headings
 * or another navigation than its picture in docs/images did. `make screenshots` replaces those
 * pictures.
 */
const retake = process.env['INTERLOCK_PICTURES'] === 'retake';
const images = fileURLToPath(new URL(retake ? '../../docs/images/' : './report/', import.meta.url));
const shown = fileURLToPath(new URL('../../docs/images/shown.json', import.meta.url));

/** The maximum size of a picture, in bytes. */
const largest = 150 * 1024;
const size = { width: 1280, height: 800 };

interface Shot {
  /** Its file in docs/images. */
  name: string;
  path: (made: Made) => string;
  /** Brings the open page into the state of the picture. */
  reach?: (page: Page, made: Made) => Promise<void>;
}

/** The records that the pictures need in addition to the demo data. */
interface Made {
  order: number;
}

const shots: Shot[] = [
  {
    name: 'dashboard',
    path: () => '/',
    reach: async (page) => {
      await page.getByRole('status').getByText('Live', { exact: true }).first().waitFor();
      await page.getByRole('region', { name: 'Conflicts today' }).getByRole('listitem').first().waitFor();
    },
  },
  { name: 'configs', path: () => '/configs' },
  { name: 'conflict', path: () => '/configs/checkout.payment', reach: contest },
  { name: 'order', path: ({ order }) => `/orders/${order}`, reach: comeSecond },
];

const ana = { username: 'ana', password: 'gravel-two-lantern' };

let made: Made;

const site = serviceSite(async ({ service, request }) => {
  await service.command('demo');
  await request('POST', '/users', { ...ana, displayName: 'Ana', roles: ['admin'] });
  made = await work(site.asLi, await site.as(ana));
});

interface Versioned {
  id: number;
  etag: string;
}

/** A few minutes of work by two users, with one conflict. */
async function work(li: ApiRequest, ana: ApiRequest): Promise<Made> {
  const { items } = await li<{ items: { sku: string }[] }>('GET', '/items?status=active&limit=3');
  const lines = items.map(({ sku }, i) => ({ sku, quantity: i + 1 }));
  const order = await ana<Versioned>('POST', '/orders', { userId: '1207', items: lines });
  const shipped = await ana<Versioned>('POST', '/orders', { userId: '318', items: lines.slice(0, 1) });
  const paid = await li<Versioned>('POST', `/orders/${shipped.id}/pay`, { method: 'external', reference: 'PSP-20260131-6' }, { 'If-Match': shipped.etag });
  await ana('POST', `/orders/${shipped.id}/ship`, { carrier: 'SF Express', trackingNo: 'SF1400024811' }, { 'If-Match': paid.etag });
  const config = await li<Versioned>('POST', '/configs', {
    key: 'checkout.retries',
    valueType: 'number',
    value: 3,
    remark: 'How often a payment is tried again',
  });
  const edit = (who: ApiRequest, value: number) =>
    who('PATCH', '/configs/checkout.retries', { value }, { 'If-Match': config.etag, 'Content-Type': 'application/merge-patch+json' });
  await edit(li, 4);
  await expect(edit(ana, 5)).rejects.toThrow('version_conflict');
  await li('POST', '/configs', { key: 'checkout.payment', valueType: 'json', value: payment, remark: 'How payments are tried' });
  return { order: order.id };
}

/** A config that two users change concurrently. */
const payment = { timeoutMs: 3000, retries: 2, methods: ['card', 'wallet'] };

/** Changes a config that Li saves concurrently: one value is in conflict, the others merge. */
async function contest(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Value', exact: true }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify({ timeoutMs: 5000, retries: 3, methods: ['card', 'wallet', 'alipay'] }, null, 2));
  const { etag } = await site.asLi<Versioned>('GET', '/configs/checkout.payment');
  const theirs = { value: { timeoutMs: 8000, methods: ['card', 'wallet', 'paypal'] }, remark: 'Raised for the 11.11 sale' };
  await site.asLi('PATCH', '/configs/checkout.payment', theirs, { 'If-Match': etag, 'Content-Type': 'application/merge-patch+json' });
  await page.getByRole('button', { name: /^Save · v/ }).click();
  await page.getByRole('group', { name: '/timeoutMs' }).waitFor();
  await page.getByText('+ paypal (Li)').waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** Cancels an order that Li marks as paid concurrently. Without the stream the page does not receive the change first. */
async function comeSecond(page: Page, { order }: Made): Promise<void> {
  await page.route('**/api/v1/events', (route) => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Cancel the order' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('Ordered twice.');
  const { etag } = await site.asLi<Versioned>('GET', `/orders/${order}`);
  await site.asLi('POST', `/orders/${order}/pay`, { method: 'external', reference: 'PSP-20260131-7' }, { 'If-Match': etag });
  await page.unroute('**/api/v1/events');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();
  await page.getByText(/Already paid by Li/).waitFor();
  await page.getByText('recorded its payment in full').waitFor();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** The outline that a reader compares first: navigation and headings, without counts. */
async function outlineOf(page: Page): Promise<string[]> {
  const texts = await page.locator('nav a:visible, h2:visible, [role=dialog] h2').allInnerTexts();
  return texts.map((text) => text.trim().split('\n')[0]?.trim() ?? '').filter((text) => text !== '');
}

const outlines: Record<string, string[]> = {};

test.afterAll(async () => {
  if (retake) await writeFile(shown, `${JSON.stringify(outlines, null, 2)}\n`);
});

for (const { name, path, reach } of shots)
  nightly(`the picture of the ${name} page is up to date`, async () => {
    const visitor = await site.enter(path(made));
    const { page } = visitor;
    await page.setViewportSize(size);
    await visitor.settle();
    await reach?.(page, made);
    await visitor.settle();
    await visitor.check();
    // No element is drawn in its hover state.
    await page.mouse.move(0, 0);
    await mkdir(images, { recursive: true });
    const file = `${images}${name}.png`;
    await page.screenshot({ path: file });
    expect((await stat(file)).size).toBeLessThanOrEqual(largest);
    outlines[name] = await outlineOf(page);
    if (!retake) {
      const before = JSON.parse(await readFile(shown, 'utf8')) as typeof outlines;
      expect(outlines[name], 'run `make screenshots`: the picture is older than the page').toEqual(before[name]);
    }
  });
