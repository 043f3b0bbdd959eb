import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { session } from '@/test/service';
import { ConfirmProvider } from '@/ui/feedback/confirm';
import { renderPage, Surroundings } from '@/test/render';
import { useRollback } from '../history/useRollback';
import { deleteConfig, rollBackConfig, type Config, type ConfigRevision } from '../queries';
import { DeleteConfig } from './DeleteConfig';
import { TakeOver } from './TakeOver';

vi.mock(import('../queries'), async (original) => ({
  ...(await original()),
  deleteConfig: vi.fn(() => Promise.resolve()),
  rollBackConfig: vi.fn(() => Promise.resolve({ ...owned, version: 3 })),
}));

const owned = {
  key: 'a',
  value: 1,
  valueType: 'number',
  remark: '',
  protected: false,
  secret: false,
  version: 1,
  etag: '"e1"',
  owner: { value: { manager: 'git:main', revision: 'abc', since: '2026-01-31T09:30:00.000000Z' } },
} as unknown as Config;

beforeEach(() => {
  sessionStore.signedIn(session());
});

test('deleting a program’s config sends a required reason', async () => {
  await renderPage(
    () => (
      <ConfirmProvider>
        <DeleteConfig config={owned} />
      </ConfirmProvider>
    ),
    () => ({}),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Delete…' }));
  await screen.findByText(/git:main sets the config/);
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'incident 7' } });
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(deleteConfig).toHaveBeenCalledWith('a', '"e1"', { takeOver: 'incident 7' }));
});

function RollBack({ to }: { to: ConfigRevision }) {
  const { ask } = useRollback(owned, () => undefined);
  return (
    <button type="button" onClick={() => void ask(to)}>
      Open
    </button>
  );
}

test.each([
  ['of a program requires a reason, which is sent', { value: 2 }, 'incident 7'],
  ['that no program owns needs no reason', { value: 1, remark: 'before' }, undefined],
])('rolling back a field %s', async (_, change, takeOver) => {
  const to = { ...owned, version: 1, ...change } as unknown as ConfigRevision;
  await renderPage(
    () => (
      <ConfirmProvider>
        <RollBack to={to} />
      </ConfirmProvider>
    ),
    () => ({}),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Open' }));
  const confirm = await screen.findByRole('button', { name: 'Roll back' });
  if (takeOver !== undefined) fireEvent.change(screen.getByRole('textbox'), { target: { value: takeOver } });
  fireEvent.click(confirm);
  await waitFor(() => expect(rollBackConfig).toHaveBeenLastCalledWith('a', '"e1"', 1, takeOver ?? '', expect.any(String), takeOver));
});

test('only fields of programs need a reason', () => {
  const changed = vi.fn();
  const { rerender } = render(<TakeOver programs={[]} reason="" onChange={changed} />, { wrapper: Surroundings });
  expect(screen.queryByRole('textbox')).toBeNull();
  rerender(<TakeOver programs={['git:main']} reason="" onChange={changed} />);
  fireEvent.change(screen.getByRole('textbox', { name: /Reason/ }), { target: { value: 'incident' } });
  expect(changed).toHaveBeenCalledWith('incident');
});
