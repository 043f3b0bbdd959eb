import { Notifications, notifications } from '@mantine/notifications';
import { act, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { adjust } from './queries';
import { StockPanel } from './StockPanel';

vi.mock(import('./queries'), async (original) => ({
  ...(await original()),
  adjust: vi.fn(() => Promise.resolve({ id: 8, onHandDelta: -5, onHand: 10 }) as never),
  oneStock: () => ({ queryKey: ['none'], queryFn: () => new Promise(() => undefined) }) as never,
}));

const owner = ownerOf('default', 7);

beforeEach(() => {
  drafts.clear(owner);
  sessionStore.signedIn(session());
});
afterEach(() => notifications.clean());

test('an undo with a lost reply is offered again on reopening', async () => {
  const sent = { delta: -5, reason: 'Undo', reference: 'undo-7' };
  drafts.store({ owner, scope: 'inventory/TEA/undo' }, { title: 'Undo · TEA', page: '/items/TEA', at: Date.now(), key: 'k-1', sent });
  render(
    <>
      <Notifications />
      <StockPanel sku="TEA" />
    </>,
    { wrapper: Surroundings },
  );
  const again = await screen.findByRole('button', { name: 'Retry' });
  act(() => again.click());
  await waitFor(() => expect(adjust).toHaveBeenCalledWith('TEA', sent, 'k-1'));
});
