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

/** Sends a request whose answer is lost. */
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

test('another request is refused while the outcome of one is not known, and neither is sent', async () => {
  const write = open();
  await lose(write, 5);
  act(() => write.current.run({ version: 3 }));
  expect(write.current).toMatchObject({ outcome: 'unknown', sent: { version: 5 } });
  expect(send).toHaveBeenCalledTimes(1);
});

test('asking again sends what was sent, under its key', async () => {
  const write = open();
  await lose(write, 5);
  send.mockResolvedValueOnce('done');
  act(() => write.current.again());
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('done', { version: 5 }));
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
});

test('with nothing open there is nothing to ask again for', () => {
  const write = open();
  act(() => write.current.again());
  expect(send).not.toHaveBeenCalled();
  expect(write.current.outcome).toBe('idle');
});

test('what is asked for no more makes room for another request, under a key of its own', async () => {
  const write = open();
  await lose(write, 5);
  send.mockResolvedValueOnce('done');
  act(() => {
    write.current.giveUp();
    write.current.run({ version: 3 });
  });
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('done', { version: 3 }));
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
});

test('what is on its way is not given up', async () => {
  let answer: (reply: string) => void = () => undefined;
  send.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const write = open();
  act(() => write.current.run({ version: 5 }));
  await waitFor(() => expect(write.current.outcome).toBe('sending'));
  act(() => write.current.giveUp());
  expect(write.current.sent).toEqual({ version: 5 });
  await act(async () => {
    answer('done');
    await Promise.resolve();
  });
  await waitFor(() => expect(write.current.outcome).toBe('done'));
});

test('a button asks again from its toast, which stands there once', async () => {
  const write = openAction();
  await lose(write, 5);
  send.mockRejectedValueOnce(lost);
  act(() => write.current.run({ version: 3 }));
  const button = await screen.findByRole('button', { name: 'Ask again' });
  act(() => button.click());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Ask again' })).toHaveLength(1));
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
});

test('what was proposed is neither done nor refused: it is told with the votes that it waits for, and its key is spent', async () => {
  const action = openAction();
  send.mockRejectedValueOnce(new ApiProblem({ code: 'proposed', title: '', detail: '', status: 202, requestId: '' }, '{"id":12,"required":2,"votes":[]}'));
  act(() => action.current.run({ version: 5 }));
  await screen.findByText('Proposed, not applied: 2 votes are missing.');
  expect(action.current).toMatchObject({ outcome: 'proposed', proposal: { id: 12 }, error: null, sent: undefined, key: undefined });
  expect(onDone).not.toHaveBeenCalled();
});
