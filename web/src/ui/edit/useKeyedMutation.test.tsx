import { Notifications, notifications } from '@mantine/notifications';
import { act, renderHook, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { useKeyedAction } from './useKeyedAction';
import { useKeyedMutation } from './useKeyedMutation';

interface Rollback {
  version: number;
}

const lost = new ApiProblem({ code: 'no_connection', title: '', detail: '', status: 0, requestId: '' });
const send = vi.fn<(request: Rollback, key: string) => Promise<string>>();
const onDone = vi.fn();
const options = { scope: 'configs/a/rollback', title: 'Roll back · a', send, onDone };

const withToasts = ({ children }: { children: ReactNode }) => (
  <Surroundings>
    <Notifications />
    {children}
  </Surroundings>
);
const open = () => renderHook(() => useKeyedMutation<Rollback, string>(options), { wrapper: Surroundings }).result;
const openAction = () => renderHook(() => useKeyedAction<Rollback, string>(options), { wrapper: withToasts }).result;
type Opened = ReturnType<typeof open>;

/** Sends a request and loses its response. */
async function lose(write: Opened, version: number): Promise<void> {
  send.mockRejectedValueOnce(lost);
  act(() => write.current.run({ version }));
  await waitFor(() => expect(write.current.outcome).toBe('unknown'));
}

beforeEach(() => {
  drafts.clear(ownerOf('default', 7));
  send.mockReset();
  onDone.mockReset();
  sessionStore.signedIn(session());
});
afterEach(() => notifications.clean());

test('a second request waits for the unknown outcome', async () => {
  const write = open();
  await lose(write, 5);
  act(() => write.current.run({ version: 3 }));
  expect(write.current).toMatchObject({ outcome: 'unknown', sent: { version: 5 } });
  expect(send).toHaveBeenCalledTimes(1);
});

test('a retry sends the same request under its key', async () => {
  const write = open();
  await lose(write, 5);
  send.mockResolvedValueOnce('done');
  act(() => write.current.retry());
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('done', { version: 5 }));
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
});

test('a retry without a pending request does nothing', () => {
  const write = open();
  act(() => write.current.retry());
  expect(send).not.toHaveBeenCalled();
  expect(write.current.outcome).toBe('idle');
});

test('abandoning a request permits another with a new key', async () => {
  const write = open();
  await lose(write, 5);
  send.mockResolvedValueOnce('done');
  act(() => {
    write.current.abandon();
    write.current.run({ version: 3 });
  });
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('done', { version: 3 }));
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
});

test('a request in flight cannot be abandoned', async () => {
  let answer: (reply: string) => void = () => undefined;
  send.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const write = open();
  act(() => write.current.run({ version: 5 }));
  await waitFor(() => expect(write.current.outcome).toBe('sending'));
  act(() => write.current.abandon());
  expect(write.current.sent).toEqual({ version: 5 });
  await act(async () => {
    answer('done');
    await Promise.resolve();
  });
  await waitFor(() => expect(write.current.outcome).toBe('done'));
});

test('an action retries from its toast, which appears once', async () => {
  const write = openAction();
  await lose(write, 5);
  send.mockRejectedValueOnce(lost);
  act(() => write.current.run({ version: 3 }));
  const button = await screen.findByRole('button', { name: 'Retry' });
  act(() => button.click());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Retry' })).toHaveLength(1));
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
});

test('a proposal is reported with votes and spends its key', async () => {
  const action = openAction();
  send.mockRejectedValueOnce(new ApiProblem({ code: 'proposed', title: '', detail: '', status: 202, requestId: '' }, '{"id":12,"required":2,"votes":[]}'));
  act(() => action.current.run({ version: 5 }));
  await screen.findByText('Proposed, not applied: 2 votes are missing.');
  expect(action.current).toMatchObject({ outcome: 'proposed', proposal: { id: 12 }, error: null, sent: undefined, key: undefined });
  expect(onDone).not.toHaveBeenCalled();
});
