import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { followLive, liveStream, newQueryClient, sessionStore } from '@/api';
import { readAuditLog } from '@/features/audit/queries';
import { readMovements } from '@/features/inventory/queries';
import { readRefunds } from '@/features/refunds/queries';
import { readEntries } from '@/features/wallets/queries';
import { session } from '@/test/service';
import type { Order, OrderEvent } from '../queries';
import { useEffects } from './queries';

vi.mock(import('@/features/audit/queries'), async (original) => ({
  ...(await original()),
  readAuditLog: vi.fn(() => Promise.resolve({ items: [] }) as never),
}));
vi.mock(import('@/features/inventory/queries'), async (original) => ({
  ...(await original()),
  readMovements: vi.fn(() => Promise.resolve({ items: [] }) as never),
}));
vi.mock(import('@/features/refunds/queries'), async (original) => ({
  ...(await original()),
  readRefunds: vi.fn(
    () =>
      Promise.resolve({
        items: [
          { id: 2, origin: 'request', method: 'wallet' },
          { id: 3, origin: 'cancellation', method: 'wallet' },
          { id: 4, origin: 'cancellation', method: 'external' },
        ],
      }) as never,
  ),
}));
vi.mock(import('@/features/wallets/queries'), async (original) => ({
  ...(await original()),
  readEntries: vi.fn(() => Promise.resolve({ items: [] }) as never),
}));

const order = { id: 17, version: 3, userId: '12', flashSaleId: null, items: [{ sku: 'TEA' }], paid: 100 } as Order;
const step = { action: 'cancel', changedTime: 't', detail: {} } as OrderEvent;

test('the effects of a step are read once despite later events', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  sessionStore.signedIn(session());
  const onEvent = vi.spyOn(liveStream, 'onEvent');
  const queries = newQueryClient();
  followLive(queries);
  const announce = onEvent.mock.calls.at(-1)?.[0];
  renderHook(() => useEffects(order, step), { wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider> });
  const reads = [readAuditLog, readMovements, readRefunds, readEntries];
  await waitFor(() => reads.forEach((read) => expect(read).toHaveBeenCalledTimes(1)));

  for (const [event, key] of [
    ['inventory', 'POT'],
    ['wallets', '99'],
  ] as const)
    announce?.({ event, data: JSON.stringify({ key, action: 'update' }) } as never);
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  reads.forEach((read) => expect(read).toHaveBeenCalledTimes(1));
  vi.useRealTimers();
});

test.each([
  ['a payment', { action: 'pay', detail: { paymentId: 5, method: 'wallet' } }, '@payments/5'],
  ['a cancellation, by its refund', { action: 'cancel' }, '@refunds/3'],
  ['a settled refund', { action: 'settle-refund', detail: { refundId: 9 } }, '@refunds/9'],
])('the payments of %s are found', async (_, event, reference) => {
  vi.mocked(readEntries).mockClear();
  sessionStore.signedIn(session());
  const queries = newQueryClient();
  renderHook(() => useEffects(order, { changedTime: 't', detail: {}, ...event } as OrderEvent), {
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(readEntries).toHaveBeenCalledWith('12', { reference }, expect.anything()));
  expect(readEntries).toHaveBeenCalledTimes(1);
});

test.each([
  ['an order', { action: 'create' }, '@orders/17/place'],
  ['a shipment', { action: 'ship', detail: { shipmentId: 7 } }, '@shipments/7'],
  ['a partial shipment', { action: 'shipment', detail: { shipmentId: 8 } }, '@shipments/8'],
])('the stock movements of %s are found', async (_, event, reference) => {
  vi.mocked(readMovements).mockClear();
  sessionStore.signedIn(session());
  const queries = newQueryClient();
  renderHook(() => useEffects(order, { changedTime: 't', detail: {}, ...event } as OrderEvent), {
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(readMovements).toHaveBeenCalledWith('TEA', { reference }, expect.anything()));
});
