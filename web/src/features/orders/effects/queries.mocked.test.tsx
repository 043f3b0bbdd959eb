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
  readRefunds: vi.fn(() => Promise.resolve({ items: [{ origin: 'request' }, { origin: 'cancellation', reference: '@refunds/3' }] }) as never),
}));
vi.mock(import('@/features/wallets/queries'), async (original) => ({
  ...(await original()),
  readEntries: vi.fn(() => Promise.resolve({ items: [] }) as never),
}));

const order = { id: 17, version: 3, userId: '12', flashSaleId: null, items: [{ sku: 'TEA' }], payment: { method: 'wallet' } } as Order;
const step = { action: 'cancel', changedTime: 't', detail: {} } as OrderEvent;

test('what a step did is read once, whatever is announced of any stock or wallet since', async () => {
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
  ['a cancellation, whose refund says how its money is called', { action: 'cancel' }, '@refunds/3'],
  ['a refund that is settled', { action: 'settle-refund', detail: { refundId: 9 } }, '@refunds/9'],
])('the money of %s is found', async (_, event, reference) => {
  vi.mocked(readEntries).mockClear();
  sessionStore.signedIn(session());
  const queries = newQueryClient();
  renderHook(() => useEffects(order, { changedTime: 't', detail: {}, ...event } as OrderEvent), {
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(readEntries).toHaveBeenCalledWith('12', { reference }, expect.anything()));
});
