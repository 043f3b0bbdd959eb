import { act, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { DeletedItem } from './DeletedItem';
import type { ItemFields } from './fields';
import { createItem } from './queries';

vi.mock(import('./queries'), async (original) => ({ ...(await original()), createItem: vi.fn(() => Promise.resolve({}) as never) }));

const open = (form: ItemFields) => {
  render(<DeletedItem sku="TEA" form={form} status="active" onRecreated={() => undefined} />, { wrapper: Surroundings });
  return screen.getByRole<HTMLButtonElement>('button', { name: 'Recreate' });
};

beforeEach(() => {
  drafts.clear(ownerOf('default', 7));
  vi.mocked(createItem).mockClear();
  sessionStore.signedIn(session());
});

test.each([
  ['a price', { name: 'Tea', price: null, ownedByUserId: null }],
  ['a name', { name: '  ', price: 500, ownedByUserId: null }],
])('a deleted item cannot be recreated without %s', (_, form) => {
  const button = open(form);
  expect(button.disabled).toBe(true);
  act(() => button.click());
  expect(createItem).not.toHaveBeenCalled();
});

test('a deleted item is recreated as a save would create it', async () => {
  const button = open({ name: ' Green tea ', price: 500, ownedByUserId: 'li' });
  act(() => button.click());
  await waitFor(() => expect(createItem).toHaveBeenCalledTimes(1));
  expect(vi.mocked(createItem).mock.calls[0]?.[0]).toEqual({ sku: 'TEA', name: 'Green tea', price: 500, ownedByUserId: 'li', status: 'active' });
});
