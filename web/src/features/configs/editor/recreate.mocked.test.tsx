import { act, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Notifications, notifications } from '@mantine/notifications';
import { ApiProblem, sessionStore } from '@/api';
import { drafts, DraftStore, ownerOf } from '@/browser/drafts';
import { encode, exact, parse } from '@/merge';
import { renderPage, Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { ConfirmProvider } from '@/ui/feedback/confirm';
import { createConfig, deleteConfig, type Config } from '../queries';
import { DeleteConfig } from './DeleteConfig';
import { DeletedConfig } from './DeletedConfig';

vi.mock(import('../queries'), async (original) => ({
  ...(await original()),
  createConfig: vi.fn(),
  deleteConfig: vi.fn(() => Promise.resolve()),
  configHistory: () =>
    ({ queryKey: ['none'], queryFn: () => Promise.resolve({ items: [] }), initialPageParam: undefined, getNextPageParam: () => undefined }) as never,
}));

const owner = ownerOf('default', 7);
const value = '{"id": 9007199254740993, "rate": 1.50}';
const create = vi.mocked(createConfig);
const lost = new ApiProblem({ code: 'no_connection', title: '', detail: '', status: 0, requestId: '' });
const record = {
  key: 'a',
  value: parse(value),
  valueType: 'json',
  remark: '',
  protected: false,
  secret: false,
  owner: {},
  version: 1,
  etag: '"e1"',
} as unknown as Config;

/** The stored request of a scope, as a new tab reads it. */
const stored = (scope: string) => new DraftStore('reloaded').open({ owner, scope })?.sent;
const sentValues = () => create.mock.calls.map(([members]) => encode(exact(members.value)));

beforeEach(() => {
  drafts.clear(owner);
  create.mockReset();
  sessionStore.signedIn(session());
});
afterEach(() => notifications.clean());

test('a deleted config is recreated with exact digits after a reload', async () => {
  create.mockRejectedValueOnce(lost);
  const form = { valueType: 'json' as const, value, remark: '', schema: '', protected: false, secret: false, masked: '' };
  render(<DeletedConfig configKey="a" form={form} onRecreated={() => undefined} />, { wrapper: Surroundings });
  act(() => screen.getByRole('button', { name: 'Recreate' }).click());
  await screen.findByRole('button', { name: 'Retry' });
  expect(stored('configs/a/recreate')).toMatchObject({ value });
  create.mockResolvedValueOnce(record);
  act(() => screen.getByRole('button', { name: 'Retry' }).click());
  await waitFor(() => expect(create).toHaveBeenCalledTimes(2));
  expect(new Set(sentValues())).toEqual(new Set(['{"id":9007199254740993,"rate":1.50}']));
});

test('the undo of a deletion stores exact digits', async () => {
  create.mockRejectedValueOnce(lost);
  // The page of the deleted config has been left.
  render(<Notifications />, { wrapper: Surroundings });
  await renderPage(
    () => (
      <ConfirmProvider>
        <DeleteConfig config={record} />
      </ConfirmProvider>
    ),
    () => ({}),
  );
  act(() => screen.getByRole('button', { name: 'Delete…' }).click());
  const sure = await waitFor(() => screen.getAllByRole('button', { name: /^Delete/ }).find(({ textContent }) => textContent === 'Delete') as HTMLElement);
  act(() => sure.click());
  const undo = await screen.findByRole('button', { name: 'Undo' });
  expect(deleteConfig).toHaveBeenCalled();
  act(() => undo.click());
  await waitFor(() => expect(create).toHaveBeenCalled());
  const kept = stored('configs/a/restore') as { value: string };
  expect(encode(parse(kept.value))).toBe('{"id":9007199254740993,"rate":1.50}');
});
