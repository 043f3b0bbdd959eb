import type { ApiRequest, PageUnderTest } from '../pages';
import { itemInStock } from '../pages';

interface Versioned {
  id: number;
  etag: string;
}

/** Orders and refunds under test by status. */
const made = new Map<string, number>();
const idOf = (name: string): number => made.get(name) ?? 0;

const reason = 'Two of the three tins arrived open, and the customer sent a picture of each of them.';

async function prepare(request: ApiRequest): Promise<void> {
  await itemInStock(request, { sku: 'RFD-1', name: 'Green tea, first flush, 100 g', price: 6000 });
  await itemInStock(request, { sku: 'RFD-2', name: '龙井绿茶礼盒', price: 25_800 });
  await request('POST', '/wallets/refunds-4711/entries', { amount: 900_000, kind: 'topup', reference: 'refunds' });
  for (const method of ['external', 'wallet']) {
    const items = [
      { sku: 'RFD-1', quantity: 3 },
      { sku: 'RFD-2', quantity: 1 },
    ];
    const order = await request<Versioned>('POST', '/orders', { userId: 'refunds-4711', items });
    await request('POST', `/orders/${order.id}/pay`, { method, reference: `PSP-${order.id}` }, { 'If-Match': order.etag });
    made.set(`order ${method}`, order.id);
    const lines = [{ sku: 'RFD-1', quantity: 2, restock: true }];
    const refund = await request<Versioned>('POST', `/orders/${order.id}/refunds`, { reason, lines });
    made.set(`refund ${method}`, refund.id);
    const other = await request<Versioned>('POST', `/orders/${order.id}/refunds`, { reason, amount: 1000 });
    await request('POST', `/refunds/${other.id}/reject`, { reason: 'The picture shows another tea.' }, { 'If-Match': other.etag });
    made.set(`rejected ${method}`, other.id);
  }
}

const pages: PageUnderTest[] = [
  { name: 'refunds-list', path: '/refunds?status=requested&userId=refunds-4711', prepare },
  {
    name: 'refund-own',
    path: () => `/refunds/${idOf('refund external')}`,
    reach: async (page) => {
      await page.locator('ol li').first().waitFor();
      await page.locator('dl').nth(1).waitFor();
    },
  },
  { name: 'refund-rejected', path: () => `/refunds/${idOf('rejected wallet')}`, reach: (page) => page.locator('ol li').first().waitFor() },
  {
    name: 'refund-step',
    path: () => `/refunds/${idOf('refund external')}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Reject…|拒绝…)$/ }).click();
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'order-refunds',
    path: () => `/orders/${idOf('order wallet')}`,
    // Both the refunds of the order and its timeline contain the link.
    reach: (page) =>
      page
        .locator(`a[href="/refunds/${idOf('refund wallet')}"]`)
        .first()
        .waitFor(),
  },
  {
    name: 'order-refund-pieces',
    path: () => `/orders/${idOf('order wallet')}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Refund…|退款…)$/ }).click();
      await page
        .getByRole('dialog')
        .getByText(/2 already in refunds|2 件已在退款中/)
        .waitFor();
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'order-refund-beyond',
    path: () => `/orders/${idOf('order external')}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Refund…|退款…)$/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /^(Amount|按金额)$/ }).click();
      await dialog.getByRole('textbox', { name: /^(Amount|金额)$/ }).fill('99999.99');
      await dialog.getByRole('textbox', { name: /^(Reason|原因)$/ }).fill(reason);
      await dialog.locator('button[type=submit]').click();
      await dialog.getByText(/so nothing was requested|因此没有申请/).waitFor();
    },
  },
];

export default pages;
