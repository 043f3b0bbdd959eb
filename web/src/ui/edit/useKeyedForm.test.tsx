import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore, type ProblemCode } from '@/api';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { useKeyedForm } from './useKeyedForm';

interface Form {
  amount: number;
  reference: string;
}

const failure = (code: ProblemCode, status: number) => new ApiProblem({ code, title: '', detail: '', status, requestId: '' });

let references = 0;
const send = vi.fn<(form: Form, key: string) => Promise<string>>();
const onDone = vi.fn();

const open = () =>
  renderHook(
    () =>
      useKeyedForm<Form, string>({
        scope: 'wallets/12/entries',
        open: (typed) => typed ?? { amount: 0, reference: `ref-${++references}` },
        send,
        onDone,
      }),
    { wrapper: Surroundings },
  );

beforeEach(() => {
  references = 0;
  send.mockReset();
  onDone.mockReset();
  sessionStore.signedIn(session());
});

test('what was sent and not answered is asked again as it was, under its key, after a reload', async () => {
  send.mockRejectedValueOnce(failure('no_connection', 0)).mockResolvedValueOnce('done');
  const first = open();
  act(() => first.result.current.change({ amount: 5 }));
  act(() => first.result.current.submit());
  await waitFor(() => expect(first.result.current.isOpen).toBe(true));
  first.unmount();

  const second = open();
  expect(second.result.current.isOpen).toBe(true);
  act(() => second.result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());

  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
  expect(send.mock.calls[0]?.[0]).toEqual({ amount: 5, reference: 'ref-1' });
});

test('what was typed and not sent is there after a reload, with its reference', () => {
  const first = open();
  act(() => first.result.current.change({ amount: 7 }));
  first.unmount();
  expect(open().result.current.form).toEqual({ amount: 7, reference: 'ref-1' });
});

test('a refusal is an answer: the next attempt has a key of its own and keeps what was typed', async () => {
  send.mockRejectedValueOnce(failure('insufficient_balance', 409)).mockResolvedValueOnce('done');
  const { result } = open();
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.error).not.toBeNull());
  expect(result.current.isOpen).toBe(false);
  act(() => result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
  expect(send.mock.calls[1]?.[0]).toEqual(send.mock.calls[0]?.[0]);
});

test('behind a lock the same may be tried again under its key, and other contents have another', async () => {
  send.mockRejectedValue(failure('resource_locked', 423));
  const { result } = open();
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.error).not.toBeNull());
  act(() => result.current.submit());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  await waitFor(() => expect(result.current.isPending).toBe(false));
  act(() => result.current.change({ amount: 9 }));
  act(() => result.current.submit());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(3));
  const [first, second, third] = send.mock.calls.map(([, key]) => key);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('what is not complete is not sent, and says what is missing from then on', async () => {
  send.mockResolvedValueOnce('done');
  const { result } = renderHook(
    () =>
      useKeyedForm<Form, string>({
        scope: 'wallets/12/entries',
        open: () => ({ amount: 0, reference: 'r' }),
        isComplete: ({ amount }) => amount > 0,
        send,
        onDone,
      }),
    { wrapper: Surroundings },
  );
  expect(result.current.strict).toBe(false);
  act(() => result.current.submit());

  expect(result.current.strict).toBe(true);
  expect(send).not.toHaveBeenCalled();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('done', { amount: 5, reference: 'r' }));
});
