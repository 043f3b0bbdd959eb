import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { newRouter } from '@/router';
import { Surroundings } from '@/test/render';
import { ActButton } from './ActButton';
import { acts } from './acts';

test('a button offers its act by label and key while it is enabled', () => {
  const run = vi.fn();
  const view = (disabled: boolean) => (
    <Surroundings>
      <ActButton hotkey="s" disabled={disabled} onClick={run}>
        Ship…
      </ActButton>
    </Surroundings>
  );
  const { rerender, unmount } = render(view(false));
  expect(acts.list().map(({ label, hotkey }) => [label, hotkey])).toEqual([['Ship', 's']]);
  fireEvent.keyDown(document.body, { key: 's' });
  expect(run).toHaveBeenCalledTimes(1);
  rerender(view(true));
  fireEvent.keyDown(document.body, { key: 's' });
  expect([acts.list(), run.mock.calls.length]).toEqual([[], 1]);
  unmount();
});

test('a requested act runs as soon as a page offers it, once', () => {
  const run = vi.fn();
  expect(acts.request('create/items')).toBe(false);
  const button = (
    <Surroundings>
      <ActButton id="create/items" onClick={run}>
        New item
      </ActButton>
    </Surroundings>
  );
  render(button).unmount();
  render(button);
  screen.getByRole('button', { name: 'New item' });
  expect(run).toHaveBeenCalledTimes(1);
});

test('each page of the navigation has a different letter', () => {
  const routes = Object.values(newRouter().routesByPath) as { options: { staticData?: { page?: { navigation?: { key?: string } } } } }[];
  const letters = routes.flatMap(({ options }) => options.staticData?.page?.navigation?.key ?? []);
  expect(new Set(letters).size).toBe(letters.length);
  expect(letters.length).toBeGreaterThan(20);
});
