import type { ApiRequest, PageUnderTest } from '../pages';
import { itemInStock } from '../pages';

const ids = { order: 0, unmatched: 0 };

async function prepare(request: ApiRequest): Promise<void> {
  await itemInStock(request, { sku: 'PAY-1', name: '龙井绿茶礼盒', price: 25_800 });
  const address = { name: 'Ana Lang', company: 'Teehaus am Markt', line1: 'Hauptstraße 1', postalCode: '10115', city: 'Berlin', country: 'DE' };
  const order = await request<{ id: number; etag: string }>('POST', '/orders', {
    userId: 'payments-4711',
    items: [{ sku: 'PAY-1', quantity: 3 }],
    email: 'ana@example.com',
    shippingAddress: address,
    billingAddress: address,
    note: 'Please ring twice, and leave the parcel with the neighbour on the left if nobody opens.',
    tags: ['gift', 'vip'],
    metadata: { channel: 'app' },
    paymentTerms: 'invoice',
  });
  ids.order = order.id;
  await request('POST', `/orders/${order.id}/payments`, { method: 'external', provider: 'stripe', reference: 'pi_3MmlLrLkdIwHu7ix', amount: 25_800 });
  const more = { method: 'external', provider: 'stripe', reference: 'pi_3MmlLrLkdIwHu7iy', amount: 99_000 };
  ids.unmatched = (await request<{ id: number }>('POST', `/orders/${order.id}/payments`, more)).id;
  const parcel = { carrier: 'SF Express', trackingNo: 'SF1400024811', lines: [{ lineId: 1, quantity: 1 }] };
  await request('POST', `/orders/${order.id}/shipments`, parcel);
}

const orderPath = () => `/orders/${ids.order}`;

const pages: PageUnderTest[] = [
  { name: 'payments-list', path: '/payments?userId=payments-4711', prepare },
  { name: 'payment-unmatched', path: () => `/payments/${ids.unmatched}`, reach: (page) => page.locator('ol li').first().waitFor() },
  {
    name: 'payment-apply-mistake',
    path: () => `/payments/${ids.unmatched}`,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Apply to an order…|入账到订单…)$/ }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('');
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    },
  },
  { name: 'order-whole', path: orderPath, reach: (page) => page.getByText('SF1400024811').first().waitFor() },
  {
    name: 'order-whole-payment',
    path: orderPath,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Add payment|添加付款)$/ }).click();
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'order-whole-edit',
    path: orderPath,
    reach: async (page) => {
      await page.getByRole('button', { name: /^(Edit|编辑)$/ }).click();
      await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    },
  },
];

export default pages;
