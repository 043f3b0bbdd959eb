import { act, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { sessionStore } from '@/api';
import { renderPage, Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { SavedViews } from './SavedViews';
import { useSavedViews } from './views';

const open = () => renderHook(() => useSavedViews('orders'), { wrapper: Surroundings }).result;

beforeEach(() => sessionStore.signedIn(session()));

test('concurrent tabs both save their views', () => {
  const [a, b] = [open(), open()];
  act(() => a.current.save('paid', { status: 'paid' }));
  act(() => b.current.save('shipped', { status: 'shipped' }));
  act(() => a.current.remove('none'));
  expect(open().current.views.map(({ name }) => name)).toEqual(['paid', 'shipped']);
  expect(a.current.views).toHaveLength(2);
});

test('opening a view changes only the list', async () => {
  const views = open();
  act(() => views.current.save('coded', { reason: 'stock', limit: 50 }));
  const { address } = await renderPage(
    () => <SavedViews id="orders" state={{ search: {} } as never} />,
    (raw) => raw,
    '/?tab=dead&reason=other&cursor=x&sort=name',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Views' }));
  await userEvent.click(await screen.findByRole('button', { name: 'coded' }));
  await expect.poll(address).toBe('/?tab=dead&reason=stock&limit=50');
});
